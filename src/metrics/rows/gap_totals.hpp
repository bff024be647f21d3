// What ece_voted and ece_expected need of a confidence bin and nothing else, with the bits of the
// sums that all metrics share.
#pragma once

#include <cmath>
#include <cstddef>

#include "credence/evaluate.hpp"
#include "metrics/rows/top_rows.hpp"

namespace credence::metrics {

struct GapTotals {
  double count = 0.0;
  double gap = 0.0, voted_gap = 0.0;  ///< as in BinTotals
};
inline GapTotals sum_of(const GapTotals& left, const GapTotals& right) {
  return plain_sum(left, right);
}

using GapTree = BlockTree<CellSums<GapTotals>>;

/// The sums of a block; `cells` is empty before and after.
inline CellSums<GapTotals> gap_totals(const TopRows& rows, const core::UnitBins& bins,
                                      CellBlock<GapTotals>& cells) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    GapTotals& bin = cells.with_row(bins.index(rows.confidence[i]));
    bin.gap += rows.confidence[i] - rows.agreement[i];
    bin.voted_gap += rows.confidence[i] - static_cast<double>(rows.hit[i]);
  }
  return cells.take();
}

/// Both errors from the sums of all `rows`.
template <class Totals>
TopErrors gap_errors(const CellSums<Totals>& bins, std::size_t rows) {
  const auto count = static_cast<double>(rows);
  double voted = 0.0, expected = 0.0;
  for (const Totals& bin : bins.totals) {
    voted += std::abs(bin.voted_gap);
    expected += std::abs(bin.gap);
  }
  return {.ece_voted = voted / count,
          .ece_expected = expected / count,
          .ece_true = {},
          .ece_true_error = {}};
}

/// The same and ece_true, from all rows.
TopErrors drawn_errors(const TopRows& rows, const core::UnitBins& bins,
                       const MetricOptions& options);

}  // namespace credence::metrics
