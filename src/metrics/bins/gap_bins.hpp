// The gaps between confidence and agreement, bin by bin, and what chance adds to them.
#pragma once

#include <cstddef>
#include <vector>

#include "metrics/sums/cell_sums.hpp"

namespace credence::metrics {

struct GapBin {
  std::size_t bin = 0;
  double count = 0.0;
  double gap = 0.0;       ///< mean of conf - r
  double variance = 0.0;  ///< of conf - r, as the rows of the bin show it; 0 for a single row
  /// The same, leaning on that of the other bins as if it were one more row: a bin of few rows that
  /// happen to agree would otherwise claim to be free of chance.
  double noise = 0.0;
};

/// The bins that hold rows, in order.
std::vector<GapBin> gap_bins(const CellSums<BinTotals>& sums);

/// The mean of ece_expected over many such samples if the model were perfectly calibrated: the
/// mean gap of each bin is then normal about 0, and its magnitude sqrt(2/PI) of its deviation.
double ece_by_chance(const std::vector<GapBin>& bins);

}  // namespace credence::metrics
