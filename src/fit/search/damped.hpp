// Damped Newton steps for losses on which plain ones fail: saturated, nearly singular, or with
// parameters of very different sizes.
#pragma once

#include <vector>

#include "fit/search/newton.hpp"

namespace credence::fit_detail {

/// What the damped method knows besides the loss.
struct Shape {
  /// Root mean square of what each parameter multiplies: its gradient is small or large by this.
  /// Parameters with 0 stay as they are.
  std::vector<double> sizes;
  /// Whether the loss is convex in the parameters.
  bool convex = true;
};

/// Minimises from `start`, where the loss must be finite, and never ends above it. Scales of the
/// parameters do not matter. `start` comes back as it is when it is the minimum already.
core::Task<Minimum> minimise_damped(Objective& objective, std::vector<double> start,
                                    const Shape& shape, double gradient_tolerance);

/// A gradient is tiny when no component is larger than this share of the size of what its parameter
/// multiplies. Double precision leaves about 1e-16 times the largest logit; a parameter that is
/// wrong by a ten-thousandth of what matters shows up well above.
inline constexpr double kTinyGradient = 1e-7;
/// A minimum counts as reached when a Newton step promises no more than this share of the loss (of
/// 1 where the loss is smaller).
inline constexpr double kTinyGain = 1e-10;

}  // namespace credence::fit_detail
