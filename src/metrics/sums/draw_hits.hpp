// How often drawn annotators gave the answer of each cell, draw by draw. Whole numbers: they add up
// to the same in any order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "credence/metrics.hpp"
#include "metrics/rows/top_rows.hpp"
#include "metrics/sums/point.hpp"

namespace credence::metrics {

class Scored;

struct DrawHits {
  std::vector<std::uint32_t> cells;  ///< those whose rows leave anything to draw, ascending
  std::vector<std::uint64_t> hits;   ///< of cell i and draw s: hits[i * draws + s]
  bool operator==(const DrawHits&) const = default;
};

/// Adds the hits of other rows.
void add_hits(const DrawHits& right, std::size_t draws, DrawHits& left);

/// Draw by draw, whether the annotator chose the predicted class, over `bins` confidence bins.
DrawHits draw_top(const TopRows& rows, const core::UnitBins& bins, const MetricOptions& options);
/// The same over bins given row by row.
DrawHits draw_top(const TopRows& rows, std::span<const std::uint32_t> bin_of, std::size_t bins,
                  const MetricOptions& options);
/// Which class the annotator chose, over the cells of the classes.
DrawHits draw_classes(const Scored& s);

/// The mean over the draws of (sum over cells of |gap - hits|) / divisor. `gaps` has one for each
/// of `cells`, which hold those of `hits`: its probabilities less the answers that are certain.
Point error_of_draws(std::span<const std::uint32_t> cells, std::span<const double> gaps,
                     const DrawHits& hits, const MetricOptions& options, double divisor);

/// ece_true from the sums and the hits of its bins.
Point ece_of_draws(const CellSums<BinTotals>& bins, const DrawHits& hits,
                   const MetricOptions& options, double rows);

}  // namespace credence::metrics
