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

bool has_whiskers(const std::vector<NamedLine>& lines);

/// The room that the names beside a plot need: width to the right of it, and least height.
struct LabelRoom {
  double width = 0.0, height = 0.0;
};
LabelRoom label_room(const std::vector<NamedLine>& lines);

inline constexpr double kLabelGap = 44.0;  ///< from the plot to the names

struct LineLook {
  bool aside = true;             ///< lines step aside a little, so that whiskers do not overlap
  std::size_t marker_every = 1;  ///< a marker at every N-th point
};
/// Draws the lines into `box`, the first ones on top, and their names to the right of it.
void draw_lines(Canvas& canvas, const Box& box, const Scale& x, const Scale& y,
                const std::vector<NamedLine>& lines, const LineLook& style = {});

}  // namespace credence::figure
