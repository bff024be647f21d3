// What colours mean, and their values on light and on dark paper.
//
// The hues are those of Okabe and Ito (2008, "Color Universal Design"), darkened on light paper and
// lightened on dark paper where they would not reach a contrast of 3:1 with it.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace credence::figure {

struct Colour {
  std::string_view role, light, dark;
};

inline constexpr std::size_t kSeries = 8;  ///< colours before dashes and markers repeat them
inline constexpr std::size_t kShades = 9;  ///< steps of the ramp that cells are filled with

inline constexpr std::array kPalette{
    Colour{"paper", "#ffffff", "#14171b"},
    Colour{"ink", "#1a1d21", "#e9ecef"},
    Colour{"muted", "#5a626b", "#a6afb8"},
    Colour{"axis", "#767e87", "#818a94"},
    Colour{"grid", "#e4e7ea", "#2a2f36"},
    Colour{"bar", "#e1e7ee", "#2a333e"},
    Colour{"count", "#7f8b98", "#7b8794"},
    Colour{"band", "#b4bac1", "#59626d"},
    Colour{"over", "#c94f00", "#ff8f52"},
    Colour{"under", "#00835f", "#3fcf9f"},
    Colour{"best", "#0067a6", "#63b8f2"},
    // Lines of figures, in the order of use. Red and green come late: elsewhere they mean over- and
    // under-confident.
    Colour{"series1", "#0067a6", "#5db3ee"},
    Colour{"series2", "#b07400", "#f0b13c"},
    Colour{"series3", "#a8457d", "#e39ac4"},
    Colour{"series4", "#3b3f45", "#d5dade"},
    Colour{"series5", "#2b8cbe", "#9bd4f5"},
    Colour{"series6", "#c94f00", "#ff8f52"},
    Colour{"series7", "#00835f", "#3fcf9f"},
    Colour{"series8", "#7d7200", "#d8cf52"},
    Colour{"shade0", "#ffffff", "#14171b"},
    Colour{"shade1", "#edf4fa", "#18222d"},
    Colour{"shade2", "#d9e8f5", "#1b2d40"},
    Colour{"shade3", "#c0d9ee", "#1f3a55"},
    Colour{"shade4", "#9fc6e5", "#24496c"},
    Colour{"shade5", "#78aed8", "#2d5b87"},
    Colour{"shade6", "#2f71a8", "#74abdd"},
    Colour{"shade7", "#1a5587", "#9dc8ec"},
    Colour{"shade8", "#0b3a63", "#cbe4f8"},
};

/// Shades from this one on carry text in the colour of the paper.
inline constexpr std::size_t kFirstStrongShade = 6;

/// The rules of a file of its own: literal colours, dark ones for those who prefer them.
std::string file_style();

}  // namespace credence::figure
