#include "metrics/bootstrap/interval.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>
#include <optional>
#include <vector>

#include "core/normal.hpp"

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

/// Two quantiles, or the shares of values below them.
struct Ends {
  double low, high;
};

/// Which quantiles bound an interval of this level. For a mean they follow from the skewness of the
/// resampled means: Efron's accelerated bias-corrected percentiles, whose two constants are both a
/// sixth of it for a mean. Of n units they lie as much further out as Student's quantile and the
/// n - 1 in the variance ask for (Hesterberg's expanded percentiles).
Ends shares(std::span<const double> values, const Moments& around, double level,
            std::optional<std::size_t> mean_of) {
  const double tail = 0.5 * (1.0 - level);
  if (!mean_of || *mean_of < 2 || around.deviation == 0.0) return {tail, 1.0 - tail};
  const double cubes = sum_of(values, [&](double v) {
    const double off = (v - around.mean) / around.deviation;
    return off * off * off;
  });
  // A skewness of 1.5 is that of a mean over one or two values that matter.
  const double skewness = cubes / static_cast<double>(values.size());
  const double a = std::clamp(skewness, -1.5, 1.5) / 6.0;
  const double freedom = static_cast<double>(*mean_of) - 1.0, z = core::normal_quantile(level);
  const double student = z + (z * z * z + z) / (4.0 * freedom);
  const double out = student * std::sqrt((freedom + 1.0) / freedom);
  const auto share = [&](double from) {
    return 0.5 * std::erfc(-(a + (a + from) / (1.0 - a * (a + from))) / std::numbers::sqrt2);
  };
  // R values cut the line into R + 1 parts of equal chance, the outermost beyond them all;
  // quantiles by ranks from 0 to R - 1 leave those two out.
  const auto count = static_cast<double>(values.size());
  const auto place = [&](double of) {
    return std::clamp((of * (count + 1.0) - 1.0) / (count - 1.0), 0.0, 1.0);
  };
  // Beyond 4 the formula leaves its range, and every resample lies within.
  return {place(share(-std::min(out, 4.0))), place(share(std::min(out, 4.0)))};
}

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
Ends ends(std::span<const double> values, const Ends& share, const Moments& around) {
  // Equal values, which is what differences of the same scores are.
  if (around.deviation == 0.0) return {values.front(), values.front()};
  // Small tails lie further out, where there are fewer values to sort.
  const bool far = share.low < 0.04 && share.high > 0.96;
  const double out = around.deviation * (far ? 1.4 : 0.8);
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
  const auto low = low_quantile({lows, low_count}, values.size(), share.low);
  const auto high = low_quantile({highs, high_count}, values.size(), 1.0 - share.high);
  if (low && high) return {*low, -*high};
  outer.assign(values.begin(), values.end());
  return {quantile(outer, share.low), quantile(outer, share.high)};
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
  if (options.kind == IntervalKind::percentile) {
    const Ends found =
        ends(values, shares(values, around, options.level, resampled.mean_of), around);
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
  const Moments of_t = moments(t);
  const Ends found = ends(t, shares(t, of_t, options.level, {}), of_t);
  estimate.low = resampled.value - found.high * resampled.standard_error;
  estimate.high = resampled.value - found.low * resampled.standard_error;
}

}  // namespace credence::metrics
