// What is known of the predicted class of some rows, and its sums by confidence bin.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/bins.hpp"
#include "metrics/sums/cell_sums.hpp"

namespace credence::metrics {

struct TopRows {
  std::uint64_t first_row = 0;  ///< number of the first among all rows
  std::span<const double> confidence, agreement;
  std::span<const unsigned char> hit = {};

  std::size_t size() const { return confidence.size(); }
  TopRows part(std::size_t first, std::size_t count) const {
    return {first_row + first, confidence.subspan(first, count), agreement.subspan(first, count),
            hit.empty() ? hit : hit.subspan(first, count)};
  }
};

/// The sums of a block; `cells` is empty before and after.
CellSums<BinTotals> bin_totals(const TopRows& rows, const core::UnitBins& bins,
                               CellBlock<BinTotals>& cells);

/// The tree over all blocks of the rows.
BinTree bin_tree(const TopRows& rows, const core::UnitBins& bins);

}  // namespace credence::metrics
