// Axes, legends and labels at the ends of lines.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "figure/canvas.hpp"

namespace credence::figure {

struct AxisLook {
  double size = 10.0;       ///< of the tick labels
  bool labels = true;       ///< tick labels
  bool grid = false;        ///< thin lines across the box
  std::string title = {};   ///< beside or below, unless empty
  double title_offset = 0;  ///< from the box to the base line of the title
};

/// Along the lower edge of `box`.
void x_axis(Canvas& canvas, const Box& box, const Scale& scale, const std::vector<Tick>& ticks,
            const AxisLook& look);
/// Along the left edge.
void y_axis(Canvas& canvas, const Box& box, const Scale& scale, const std::vector<Tick>& ticks,
            const AxisLook& look);

/// The room that tick labels need beside a y axis.
double widest(const std::vector<Tick>& ticks, double size);

struct LegendEntry {
  std::string text;
  /// Draws the sign into a box of 20 x 10.
  std::function<void(Canvas&, const Box&)> sign;
  std::string_view classes = {};  ///< of the group around both, for scripts that hide them
};
/// Rows of entries that fill `width`, from the left; says how high it is without drawing when
/// `canvas` is null.
double legend(Canvas* canvas, Point at, double width, const std::vector<LegendEntry>& entries);

/// A label wants to stand at `wanted`; `placed` is where it does, so that none overlap.
struct EndLabel {
  std::string text;
  Point end;  ///< of the line it belongs to
  Series look;
  bool reference = false;  ///< belongs to a thin dashed line without markers
  double placed = 0.0;
};
/// Spreads labels between `top` and `bottom`, in the order of their ends, at least `distance`
/// apart.
void spread(std::vector<EndLabel>& labels, double top, double bottom, double distance);
/// Writes them from `x` on, with thin leaders where a label had to move.
void end_labels(Canvas& canvas, const std::vector<EndLabel>& labels, double x, double width,
                double size);

}  // namespace credence::figure
