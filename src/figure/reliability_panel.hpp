// One reliability diagram: the square, the strip of counts below it, and what stands around both.
#pragma once

#include <vector>

#include "figure/axes.hpp"
#include "figure/canvas.hpp"

namespace credence::figure {

struct PanelLook {
  double side = 320.0;  ///< of the square
  double strip = 48.0;  ///< height of the counts
  double size = 10.0;   ///< of tick labels
  bool y_labels = true, x_labels = true, y_title = true, x_title = true;
  bool small = false;  ///< few ticks, thin marks
  char letter = 0;     ///< "a", "b" before the name, or 0
  bool notes_above = false;
  double most = 0.0;     ///< examples at the top of the strip; 0: those of the fullest bin
  double heading = 0.0;  ///< height above the square, where a neighbour needs more than this one
};

inline constexpr double kPanelLeft = 56.0;   ///< room for the titles and labels of the y axes
inline constexpr double kPanelBelow = 36.0;  ///< the same below the strip

/// Whether the notes can stand in the upper left corner without touching a mark.
bool notes_fit(const Reliability& diagram, const PanelLook& look);
/// Lines that the notes take.
std::vector<std::string> note_lines(const Reliability& diagram, const PanelLook& look);
/// Height of the name, and of the notes when they stand above.
double heading_height(const Reliability& diagram, const PanelLook& look);
/// From the upper edge of the square to the lower edge of the strip.
double panel_height(const PanelLook& look);
/// Counts span too much for a linear strip: rare bins would be invisible.
bool counts_need_log(const std::vector<const Reliability*>& diagrams);

/// `corner` is the upper left corner of the square.
void draw_panel(Canvas& canvas, Point corner, const Reliability& diagram, const PanelLook& look,
                bool log_counts);

/// The signs that the given diagrams use.
std::vector<LegendEntry> panel_legend(const std::vector<const Reliability*>& diagrams);

}  // namespace credence::figure
