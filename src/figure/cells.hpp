// Tables of shaded cells with names around them.
#pragma once

#include <string>
#include <vector>

#include "figure/canvas.hpp"

namespace credence::figure {

/// 0 (none) to the strongest shade.
std::size_t shade_level(double share);

/// Names of columns above `top`: level where they fit into `step`, turned otherwise. Returns the
/// height they take; draws nothing when `canvas` is null.
double column_names(Canvas* canvas, const std::vector<std::string>& names, double left, double top,
                    double step, double size);
/// How far turned names reach beyond the right edge of the last column.
double column_overhang(const std::vector<std::string>& names, double step, double size);

/// Eight steps from `low` to `high` in a row; returns its width.
double shade_key(Canvas& canvas, Point at, const std::string& low, const std::string& high);

}  // namespace credence::figure
