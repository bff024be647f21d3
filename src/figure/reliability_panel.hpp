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
  bool small = false;    ///< few ticks, thin marks
  bool plain = false;    ///< nobody points at single bins: a path per ink, a much smaller file
  char letter = 0;       ///< "a", "b" before the name, or 0
  double most = 0.0;     ///< examples that the strip has room for; 0: those of the fullest bin
  double heading = 0.0;  ///< height above the square, where a neighbour needs more than this one
};

inline constexpr double kPanelLeft = 56.0;   ///< room for the titles and labels of the y axes
inline constexpr double kPanelBelow = 36.0;  ///< the same below the strip

/// Height of the name and of the notes below it.
double heading_height(const Reliability& diagram, const PanelLook& look);
/// From the upper edge of the square to the lower edge of the strip.
double panel_height(const PanelLook& look);
/// The look with room for the headings and the counts of all diagrams, on one scale.
PanelLook shared_look(PanelLook look, const std::vector<const Reliability*>& diagrams);
/// What the vertical axis of a diagram shows.
std::string agreement_title(Truth truth);

/// `corner` is the upper left corner of the square.
void draw_panel(Canvas& canvas, Point corner, const Reliability& diagram, const PanelLook& look);

/// A sign for every ink of the given diagrams.
std::vector<LegendEntry> panel_legend(const std::vector<const Reliability*>& diagrams);

}  // namespace credence::figure
