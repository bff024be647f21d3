#include "metrics/bins/gap_bins.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace credence::metrics {

std::vector<GapBin> gap_bins(const CellSums<BinTotals>& sums) {
  std::vector<GapBin> bins;
  double all_squares = 0.0, freedom = 0.0;
  for (std::size_t i = 0; i < sums.cells.size(); ++i) {
    const BinTotals& totals = sums.totals[i];
    GapBin& bin = bins.emplace_back();
    bin.bin = sums.cells[i];
    bin.count = totals.count;
    bin.gap = totals.gap / totals.count;
    bin.variance = totals.count > 1.0 ? totals.spread / (totals.count - 1.0) : 0.0;
    all_squares += totals.spread;
    freedom += totals.count - 1.0;
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
