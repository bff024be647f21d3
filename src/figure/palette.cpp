#include "figure/palette.hpp"

#include <fmt/format.h>

#include "credence/figures.hpp"

namespace credence::figure {
namespace {

constexpr std::string_view kRoot = ".credence-figure";

// Shape, the same on any paper.
constexpr std::string_view kShape =
    R"( text{font-family:system-ui,"Helvetica Neue",Arial,sans-serif;font-variant-numeric:tabular-nums}
 .f-b{font-weight:600}
 .f-i{font-style:italic}
 .f-axis,.f-grid,.f-diagonal,.f-line,.f-halo,.f-whisker,.f-top,.f-leader,.f-frame,.f-outline,.f-seed{fill:none}
 .f-axis{stroke-width:1}
 .f-grid,.f-leader{stroke-width:.75}
 .f-diagonal{stroke-width:1;stroke-dasharray:4 3}
 .f-line{stroke-width:1.75;stroke-linejoin:round;stroke-linecap:round}
 .f-halo{stroke-width:4;stroke-linejoin:round;stroke-linecap:round}
 .f-whisker{stroke-width:1.25}
 .f-top{stroke-width:1.75}
 .f-frame{stroke-width:1.5}
 .f-outline{stroke-width:.75}
 .f-seed{stroke-width:1;stroke-opacity:.75}
 .f-range{stroke-width:2}
 .f-band{fill-opacity:.18}
 .f-dot{stroke-width:.9;fill-opacity:.85}
 .f-gap{stroke-width:1}
 .f-few{opacity:.4}
 .f-small .f-top{stroke-width:1.25}
 .f-small .f-whisker{stroke-width:.9}
 .f-small .f-gap{stroke-width:.75}
 .f-cell{shape-rendering:crispEdges}
 .f-hit{fill:none;pointer-events:all}
 .bin:hover .f-bar,.bin:focus .f-bar{fill-opacity:.6}
)";

// Colour, where {role} stands for the value.
constexpr std::string_view kColour =
    R"( .f-ink{fill:{ink}}
 .f-muted{fill:{muted}}
 .f-paper{fill:{paper}}
 .f-axis,.f-leader,.f-outline,.f-seed{stroke:{axis}}
 .f-grid{stroke:{grid}}
 .f-diagonal{stroke:{muted}}
 .f-halo{stroke:{paper}}
 .f-whisker,.f-top{stroke:{ink}}
 .f-frame{stroke:{ink}}
 .f-bar{fill:{bar}}
 .f-count{fill:{count}}
 .noise-band{fill:{band};fill-opacity:.55}
 .f-over{stroke:{over}}
 .f-under{stroke:{under}}
 .f-dots,.f-tint.f-under{fill:{under}}
 .f-tint.f-over{fill:{over}}
 .f-tint{fill-opacity:.22;stroke:none}
 .f-best{fill:{best};stroke:{best}}
 .f-worse{fill:{paper};stroke:{muted}}
)";

std::string series_rules() {
  std::string rules;
  for (std::size_t i = 1; i <= kSeries; ++i) {
    const std::string colour = fmt::format("{{series{}}}", i);
    rules += fmt::format(" .f-k{0}{{stroke:{1}}}\n .f-p{0}{{fill:{1};stroke:{1}}}\n", i, colour);
    rules +=
        fmt::format(" .f-o{0}{{fill:{{paper}};stroke:{1}}}\n .f-a{0}{{fill:{1}}}\n", i, colour);
  }
  for (std::size_t i = 0; i < kShades; ++i) {
    rules += fmt::format(" .f-s{0}{{fill:{{shade{0}}}}}\n .f-t{0}{{fill:{{{1}}}}}\n", i,
                         i < kFirstStrongShade ? "ink" : "paper");
  }
  return rules;
}

/// The rules, one per line, with every {role} replaced and every selector below the root of a
/// figure.
template <typename Value>
std::string filled(std::string_view rules, Value value) {
  std::string out;
  for (std::size_t at = 0; at < rules.size();) {
    const std::size_t end = std::min(rules.find('\n', at), rules.size());
    const std::string_view line = rules.substr(at, end - at);
    at = end + 1;
    const std::size_t brace = line.find('{');
    for (std::size_t from = 0; from < brace;) {
      const std::size_t comma = std::min(line.find(',', from), brace);
      const std::string_view selector = line.substr(from, comma - from);
      out += fmt::format("{}{}{}{}", from == 0 ? "" : ",", kRoot, from == 0 ? "" : " ", selector);
      from = comma + 1;
    }
    std::string body(line.substr(brace));
    for (const Colour& colour : kPalette) {
      const std::string token = fmt::format("{{{}}}", colour.role);
      for (std::size_t hit; (hit = body.find(token)) != std::string::npos;) {
        body.replace(hit, token.size(), value(colour));
      }
    }
    out += body + "\n";
  }
  return out;
}

}  // namespace

std::string file_style() {
  const std::string colour = std::string(kColour) + series_rules();
  return filled(kShape, [](const Colour& c) { return c.light; }) +
         filled(colour, [](const Colour& c) { return c.light; }) +
         "@media (prefers-color-scheme:dark){\n" +
         filled(colour, [](const Colour& c) { return c.dark; }) + "}\n";
}

std::string page_style() {
  std::string light, dark;
  for (const Colour& c : kPalette) {
    light += fmt::format("--f-{}:{};", c.role, c.light);
    dark += fmt::format("--f-{}:{};", c.role, c.dark);
  }
  const std::string rules =
      filled(std::string(kShape) + std::string(kColour) + series_rules(),
             [](const Colour& c) { return fmt::format("var(--f-{})", c.role); });
  return fmt::format(
      ":root{{{0}}}\n"
      "@media (prefers-color-scheme:dark){{:root:not([data-theme=light]){{{1}}}}}\n"
      ":root[data-theme=dark]{{{1}}}\n"
      "@media print{{:root:root:root{{{0}}}}}\n"
      "{3}{{display:block;width:100%;height:auto}}\n{2}",
      light, dark, rules, kRoot);
}

}  // namespace credence::figure
