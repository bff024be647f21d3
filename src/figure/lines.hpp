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
  bool reference = false;  ///< thin, dashed and without markers; it takes no place in the series
};

bool has_whiskers(const std::vector<NamedLine>& lines);

/// The room that the names beside a plot need: width to the right of it, and least height.
struct LabelRoom {
  double width = 0.0, height = 0.0;
};
LabelRoom label_room(const std::vector<NamedLine>& lines, Frame frame);

inline constexpr double kLabelGap = 36.0;  ///< from the plot to the names

/// The width of a plot that is `wide` where there is room: on a phone, what its surroundings leave.
double plot_width(double wide, double around, Frame frame);

struct LineLook {
  bool aside = true;          ///< lines step aside a little, so that whiskers do not overlap
  bool halo = true;           ///< a rim of paper around each line keeps those that cross apart
  double marker_apart = 0.0;  ///< least distance from one marker to the next, in pixels
};
/// Draws the lines into `box`, the first ones on top, and their names to the right of it, `room`
/// wide.
void draw_lines(Canvas& canvas, const Box& box, const Scale& x, const Scale& y,
                const std::vector<NamedLine>& lines, const LabelRoom& room,
                const LineLook& style = {});

}  // namespace credence::figure
