#include "metrics/interval.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "metrics/sum.hpp"

namespace credence::metrics {
namespace {

double standard_deviation(std::span<const double> values) {
  const auto count = static_cast<double>(values.size());
  Sum sum, squares;
  for (const double v : values) sum.add(v);
  const double mean = sum.value() / count;
  for (const double v : values) squares.add((v - mean) * (v - mean));
  return std::sqrt(squares.value() / (count - 1.0));
}

}  // namespace

double quantile(std::span<double> values, double share) {
  const double place = share * static_cast<double>(values.size() - 1);
  const auto below = values.begin() + static_cast<std::ptrdiff_t>(place);
  std::nth_element(values.begin(), below, values.end());
  if (below + 1 == values.end()) return *below;
  const double above = *std::min_element(below + 1, values.end());
  return *below + (place - std::floor(place)) * (above - *below);
}

void fill_interval(const Resampled& resampled, const BootstrapOptions& options,
                   Estimate& estimate) {
  std::vector<double> finite;
  finite.reserve(resampled.values.size());
  for (const double v : resampled.values) {
    if (std::isfinite(v)) finite.push_back(v);
  }
  if (finite.size() < 2 || finite.size() * 2 < resampled.values.size()) return;
  estimate.standard_error = standard_deviation(finite);
  const double tail = 0.5 * (1.0 - options.level);
  if (options.kind == IntervalKind::percentile) {
    estimate.low = quantile(finite, tail);
    estimate.high = quantile(finite, 1.0 - tail);
    return;
  }
  std::vector<double> t;
  t.reserve(resampled.values.size());
  for (std::size_t r = 0; r < resampled.values.size(); ++r) {
    const double off = resampled.values[r] - resampled.value;
    const double t_r = off == 0.0 ? 0.0 : off / resampled.standard_errors[r];
    // Without spread in a resample nothing can be said of its distance.
    if (std::isfinite(t_r)) t.push_back(t_r);
  }
  if (t.size() < 2 || t.size() * 2 < resampled.values.size()) return;
  estimate.low = resampled.value - quantile(t, 1.0 - tail) * resampled.standard_error;
  estimate.high = resampled.value - quantile(t, tail) * resampled.standard_error;
}

}  // namespace credence::metrics
