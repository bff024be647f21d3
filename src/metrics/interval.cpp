#include "metrics/interval.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <vector>

namespace credence::metrics {
namespace {

struct Moments {
  double mean, deviation;
};

/// Four partial sums side by side: resamples are few enough that no compensation is needed.
template <class Of>
double sum_of(std::span<const double> values, const Of& of) {
  double part[4] = {};
  std::size_t i = 0;
  for (; i + 4 <= values.size(); i += 4) {
    for (std::size_t p = 0; p < 4; ++p) part[p] += of(values[i + p]);
  }
  for (; i < values.size(); ++i) part[0] += of(values[i]);
  return (part[0] + part[1]) + (part[2] + part[3]);
}

Moments moments(std::span<const double> values) {
  const auto count = static_cast<double>(values.size());
  const double mean = sum_of(values, [](double v) { return v; }) / count;
  const double squares = sum_of(values, [&](double v) { return (v - mean) * (v - mean); });
  return {mean, std::sqrt(squares / (count - 1.0))};
}

/// Quantiles `tail` and 1 - tail.
struct Ends {
  double low, high;
};

/// The quantile `share` of so many values, of which `tail` holds the lowest; none when too few.
std::optional<double> low_quantile(std::span<double> tail, std::size_t all, double share) {
  const double place = share * static_cast<double>(all - 1);
  const auto rank = static_cast<std::size_t>(place);
  if (rank + 1 >= tail.size()) return {};
  const auto below = tail.begin() + static_cast<std::ptrdiff_t>(rank);
  std::nth_element(tail.begin(), below, tail.end());
  const double above = *std::min_element(below + 1, tail.end());
  return *below + (place - std::floor(place)) * (above - *below);
}

/// Nearly all values lie between the two ends, so each is looked for among the values well out on
/// its side, or among all where those do not suffice.
Ends ends(std::span<const double> values, double tail, const Moments& around) {
  // Equal values, which is what differences of the same scores are.
  if (around.deviation == 0.0) return {values.front(), values.front()};
  // Small tails lie further out, where there are fewer values to sort.
  const double out = around.deviation * (tail < 0.04 ? 1.4 : 0.8);
  const double below = around.mean - out, above = around.mean + out;
  std::vector<double> outer(2 * values.size());
  double *const lows = outer.data(), *const highs = lows + values.size();
  std::size_t low_count = 0, high_count = 0;
  for (const double v : values) {
    lows[low_count] = v;
    low_count += v < below ? 1 : 0;
    highs[high_count] = -v;
    high_count += v > above ? 1 : 0;
  }
  const auto low = low_quantile({lows, low_count}, values.size(), tail);
  const auto high = low_quantile({highs, high_count}, values.size(), tail);
  if (low && high) return {*low, -*high};
  outer.assign(values.begin(), values.end());
  return {quantile(outer, tail), quantile(outer, 1.0 - tail)};
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
  const std::size_t all = resampled.values.size();
  std::span<const double> values = resampled.values;
  std::vector<double> finite;
  Moments around = moments(values);
  if (!std::isfinite(around.deviation)) {
    std::ranges::copy_if(values, std::back_inserter(finite),
                         [](double v) { return std::isfinite(v); });
    if (finite.size() < 2 || finite.size() * 2 < all) return;
    values = finite;
    around = moments(values);
  }
  estimate.standard_error = around.deviation;
  const double tail = 0.5 * (1.0 - options.level);
  if (options.kind == IntervalKind::percentile) {
    const Ends found = ends(values, tail, around);
    estimate.low = found.low;
    estimate.high = found.high;
    return;
  }
  std::vector<double> t;
  t.reserve(all);
  for (std::size_t r = 0; r < all; ++r) {
    const double off = resampled.values[r] - resampled.value;
    const double t_r = off == 0.0 ? 0.0 : off / resampled.standard_errors[r];
    // Without spread in a resample nothing can be said of its distance.
    if (std::isfinite(t_r)) t.push_back(t_r);
  }
  if (t.size() < 2 || t.size() * 2 < all) return;
  const Ends found = ends(t, tail, moments(t));
  estimate.low = resampled.value - found.high * resampled.standard_error;
  estimate.high = resampled.value - found.low * resampled.standard_error;
}

}  // namespace credence::metrics
