// Intervals from resampled values.
#pragma once

#include <optional>
#include <span>

#include "credence/bootstrap.hpp"

namespace credence::metrics {

/// One metric of one evaluation (or a difference) in every resample.
struct Resampled {
  double value = 0.0;              ///< on the rows as they are
  double standard_error = 0.0;     ///< of it, from influences; only for studentised intervals
  std::span<const double> values;  ///< one per resample; NaN where it cannot be computed
  std::span<const double> standard_errors;  ///< empty for percentile intervals
  /// Of a mean, or a difference of means: of how many units. Their percentile intervals are mended
  /// for skewness and for few units.
  std::optional<std::size_t> mean_of = {};
};

/// Quantile `share`, linear between neighbours (type 7 of Hyndman and Fan 1996); reorders `values`.
double quantile(std::span<double> values, double share);

/// Fills standard error and interval of `estimate`. Empty when fewer than half the resamples have a
/// value.
void fill_interval(const Resampled& resampled, const BootstrapOptions& options, Estimate& estimate);

}  // namespace credence::metrics
