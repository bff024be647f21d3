#include "metrics/gap_bins.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace credence::metrics {

std::vector<GapBin> gap_bins(const Scored& s) {
  const auto gap = [&](std::size_t i) { return s.confidence[i] - s.agreement[i]; };
  const auto count = core::bin_sums(s.bins, s.confidence, [](std::size_t) { return 1.0; });
  const auto sum = core::bin_sums(s.bins, s.confidence, gap);
  const auto squares = core::bin_sums(s.bins, s.confidence, [&](std::size_t i) {
    const std::size_t b = s.bins.index(s.confidence[i]);
    const double off = gap(i) - sum[b] / count[b];
    return off * off;
  });
  std::vector<GapBin> bins;
  double all_squares = 0.0, freedom = 0.0;
  for (std::size_t b = 0; b < count.size(); ++b) {
    if (count[b] == 0.0) continue;
    GapBin& bin = bins.emplace_back();
    bin.bin = b;
    bin.count = count[b];
    bin.gap = sum[b] / count[b];
    bin.variance = count[b] > 1.0 ? squares[b] / (count[b] - 1.0) : 0.0;
    all_squares += squares[b];
    freedom += count[b] - 1.0;
  }
  const double pooled = all_squares / std::max(freedom, 1.0);
  for (GapBin& bin : bins) {
    bin.noise = ((bin.count - 1.0) * bin.variance + pooled) / bin.count;
  }
  return bins;
}

double ece_by_chance(const std::vector<GapBin>& bins) {
  double rows = 0.0, total = 0.0;
  for (const GapBin& bin : bins) {
    rows += bin.count;
    total += std::sqrt(2.0 / std::numbers::pi * bin.count * bin.noise);
  }
  return total / rows;
}

}  // namespace credence::metrics
