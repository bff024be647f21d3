#include "metrics/bootstrap/inverted_interval.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/normal.hpp"
#include "metrics/bootstrap/interval.hpp"

namespace credence::metrics {
namespace {

/// Noise for bins without any comes from a stream of its own.
constexpr std::uint64_t kStream = 0x6e6f697365626eULL;

/// With fewer units than this beyond the bins, nothing is said.
constexpr double kLeastFreedom = 10.0;

/// A square needs two rows to be told from noise; ece2_debiased takes no others.
bool counts(OfGaps error, const GapBin& bin) {
  return error == OfGaps::magnitude || bin.count > 1.5;
}

/// What a bin adds to an error, from its count and the sum of its gaps.
double term(OfGaps error, double count, double sum) {
  if (error == OfGaps::magnitude) return std::abs(sum);
  return count > 0.0 ? sum * sum / count : 0.0;
}

}  // namespace

ResampledGaps::ResampledGaps(const Summary& rows, std::size_t resamples, std::uint64_t seed)
    : bins_(gap_bins(rows.bins.total())),
      rows_(static_cast<double>(rows.end_row - rows.first_row)),
      resamples_(resamples),
      seed_(core::mix64(seed ^ kStream)),
      count_(resamples * bins_.size()),
      noise_(count_.size()) {}

void ResampledGaps::take(const Layout& layout, std::span<const double> sums, std::size_t lanes,
                         std::size_t r, std::size_t count) {
  for (std::size_t b = 0; b < bins_.size(); ++b) {
    const GapBin& bin = bins_[b];
    const double* const rows = sums.data() + (layout.first(Statistic::bin_count) + bin.bin) * lanes;
    const double* const gaps = sums.data() + (layout.first(Statistic::bin_gap) + bin.bin) * lanes;
    // Resampled rows vary by (n - 1) / n of the variance that is estimated from them.
    const double varies = bin.variance * (bin.count - 1.0) / bin.count;
    const bool still = varies <= 1e-9 * bin.noise;
    for (std::size_t lane = 0; lane < count; ++lane) {
      const double noise =
          still ? std::sqrt(rows[lane] * bin.noise) * core::normal(seed_, r + lane, bin.bin)
                : std::sqrt(bin.noise / varies) * (gaps[lane] - rows[lane] * bin.gap);
      const std::size_t place = (r + lane) * bins_.size() + b;
      count_[place] = static_cast<float>(rows[lane]);
      noise_[place] = static_cast<float>(noise);
    }
  }
}

double ResampledGaps::observed(OfGaps error) const {
  double total = 0.0;
  for (const GapBin& bin : bins_) {
    if (counts(error, bin)) total += term(error, bin.count, bin.count * bin.gap);
  }
  return total / rows_;
}

ResampledGaps::Profile ResampledGaps::profile(OfGaps error) const {
  // The observed gaps do for squares. Their magnitudes hold more small gaps than the true ones do,
  // which noise would raise more: they are drawn towards the mean gap by as much of their spread as
  // noise explains.
  double mean = 0.0, spread = 0.0, noise = 0.0;
  for (const GapBin& bin : bins_) mean += bin.count * bin.gap / rows_;
  for (const GapBin& bin : bins_) {
    spread += bin.count * (bin.gap - mean) * (bin.gap - mean);
    noise += bin.noise * (1.0 - bin.count / rows_);
  }
  const double kept = error == OfGaps::square ? 1.0
                      : spread > 0.0          ? std::max(0.0, 1.0 - noise / spread)
                                              : 0.0;
  Profile profile{{}, 0.0};
  for (const GapBin& bin : bins_) {
    profile.gap.push_back(mean + kept * (bin.gap - mean));
    if (counts(error, bin)) {
      profile.error += term(error, bin.count, bin.count * profile.gap.back()) / rows_;
    }
  }
  return profile;
}

double ResampledGaps::shown(OfGaps error, const Profile& profile, double times,
                            double share) const {
  std::vector<double> values(resamples_, 0.0);
  for (std::size_t b = 0; b < bins_.size(); ++b) {
    if (!counts(error, bins_[b])) continue;
    const double gap = times * profile.gap[b];
    for (std::size_t r = 0; r < resamples_; ++r) {
      const auto count = static_cast<double>(count_[r * bins_.size() + b]);
      values[r] +=
          term(error, count, count * gap + static_cast<double>(noise_[r * bins_.size() + b]));
    }
  }
  return quantile(values, share) / rows_;
}

double ResampledGaps::end(OfGaps error, const Profile& profile, double share) const {
  const double seen = observed(error);
  const double without = shown(error, profile, 0.0, share);
  // No true gaps at all would show more. A magnitude ends there; the estimate of a square goes
  // below 0, and so does its interval, by the same distance.
  if (seen <= without) return error == OfGaps::magnitude ? 0.0 : seen - without;
  double low = 0.0, high = 1.0;
  while (shown(error, profile, high, share) < seen) {
    low = high;
    high *= 2.0;
    // A profile of zeros never gets there.
    if (high > 1e6) return std::numeric_limits<double>::quiet_NaN();
  }
  // 20 halvings leave a millionth, far below what the resamples decide.
  for (int i = 0; i < 20; ++i) {
    const double middle = 0.5 * (low + high);
    (shown(error, profile, middle, share) < seen ? low : high) = middle;
  }
  return (error == OfGaps::magnitude ? high : high * high) * profile.error;
}

std::optional<Interval> ResampledGaps::interval(OfGaps error, double level,
                                                std::size_t units) const {
  const auto n = static_cast<double>(units);
  const double freedom = n - static_cast<double>(bins_.size());
  if (freedom < kLeastFreedom) return {};
  // The mean of every bin is taken from the same rows as the noise about it: quantiles as far out
  // as n units with so many means taken off call for (Hesterberg's expanded percentiles).
  const double z = core::normal_quantile(level) * std::sqrt(n / freedom);
  const double tail = 0.5 * std::erfc(z / std::numbers::sqrt2);
  const Profile gaps = profile(error);
  const Interval found{end(error, gaps, 1.0 - tail), end(error, gaps, tail)};
  if (!std::isfinite(found.low) || !std::isfinite(found.high)) return {};
  return found;
}

}  // namespace credence::metrics
