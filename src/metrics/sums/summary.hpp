// What the rows of a piece add to an evaluation, in a form that merges to the same bits whatever
// the pieces: sums along the tree of blocks, whole numbers that add up in any order, and for what
// needs sorting a few numbers per row, in row order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "credence/metrics.hpp"
#include "metrics/sums/cell_sums.hpp"
#include "metrics/sums/chances.hpp"
#include "metrics/sums/draw_hits.hpp"
#include "metrics/sums/replicate_sums.hpp"
#include "metrics/sums/statistics.hpp"

namespace credence::metrics {

struct Summary {
  MetricOptions options;
  std::size_t classes = 0;
  std::uint64_t first_row = 0, end_row = 0;
  /// Whole numbers of votes everywhere, so that "two votes or more" has a meaning.
  bool votes_are_counts = true;
  bool has_certainties = false;  ///< concentrations and predicted disagreements are known
  BlockSums scalars;             ///< per block kScalarSums numbers
  BinTree bins;
  ClassTree cells;
  Chances bin_chances, cell_chances;
  DrawHits bin_hits, cell_hits;
  std::vector<double> confidence, agreement, entropy;  ///< row by row, where options ask for it
  /// The same for rows with two votes or more, where the first is known.
  std::vector<double> predicted_disagreement, observed_disagreement;
  ReplicateSums replicates;  ///< with options.resampling

  bool operator==(const Summary& other) const;
  /// Adds the rows that follow.
  void append(Summary right);
  /// True when both count the same things.
  bool like(const Summary& other) const;
};

/// The statistics with a single cell (nll: over the rows where it is finite), and the number of
/// rows where nll is infinite.
inline constexpr std::size_t kScalarSums = kScalars + 1;

}  // namespace credence::metrics
