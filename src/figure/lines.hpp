// Lines with markers and whiskers in one frame, named where they end.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "figure/axes.hpp"

namespace credence::figure {

struct LinePoint {
  double x = 0.0, y = 0.0;
  std::optional<double> low, high;
  std::string tooltip;
  std::string data;  ///< attributes of its group
};
struct NamedLine {
  std::string name;
  std::vector<LinePoint> points;
};

/// The room that the names beside a plot need: width to the right of it, and least height.
struct LabelRoom {
  double width = 0.0, height = 0.0;
};
LabelRoom label_room(const std::vector<NamedLine>& lines);

inline constexpr double kLabelGap = 44.0;  ///< from the plot to the names

/// Draws the lines into `box`, the latter ones on top, and their names to the right of it.
void draw_lines(Canvas& canvas, const Box& box, const Scale& x, const Scale& y,
                const std::vector<NamedLine>& lines);

/// Names alone, for figures that draw their lines themselves.
void draw_names(Canvas& canvas, const Box& box, std::vector<EndLabel> labels);

}  // namespace credence::figure
