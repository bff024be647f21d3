// What one pass over the probabilities leaves behind: a few numbers per example, and the sums that
// metrics are computed from.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/bins.hpp"
#include "credence/dataset.hpp"
#include "credence/metrics.hpp"
#include "metrics/numbers/sum.hpp"
#include "metrics/rows/row_score.hpp"
#include "metrics/sums/statistics.hpp"
#include "metrics/sums/totals.hpp"

namespace credence::metrics {

/// Beyond this many probabilities the cells of the classes are not kept row by row.
inline constexpr std::size_t kMostCells = 50'000'000;

class Scored {
 public:
  /// The first of the rows is number `first_row` of all.
  Scored(const Votes& votes, MetricOptions options, std::uint64_t first_row = 0);

  /// Checks and scores the next rows.
  void add(Rows probabilities, Rows certainties);
  /// After the last row: all that it adds to an evaluation.
  void finish();
  /// Keeps what bootstrap() needs to know of all rows.
  void keep(const MassBins& mass);

  /// Of the caller; only valid until the evaluation is done. `own_votes` is what is kept.
  const Votes* votes;
  std::optional<Votes> own_votes;
  MetricOptions options;
  std::uint64_t first_row;
  std::size_t classes;
  core::UnitBins bins;

  std::vector<std::uint32_t> predicted;  ///< ctop
  std::vector<double> confidence;        ///< conf = p[ctop]
  std::vector<double> agreement;         ///< r = pi[ctop]
  std::vector<unsigned char> hit;        ///< [ctop = y*]
  std::vector<double> entropy;           ///< H(pi)
  std::vector<std::uint32_t> mass_bin;   ///< the equally filled bin of the confidence
  std::size_t mass_bins = 0;
  std::vector<std::uint32_t> by_confidence;  ///< the rows, with keep_rows, in ascending order of it

  /// The cell of every entry of the votes, row by row. Cell k * bins + b: class k, the rows with
  /// p_k in bin b.
  std::vector<std::uint32_t> vote_cell;

  Summary summary;  ///< of the rows, block by block as they come

  // With keep_rows: one column per statistic with a single cell (those above stay empty here), and
  // for every probability its gap and bin. float32 is enough: only spreads are computed from it.
  std::array<std::vector<double>, kScalars> columns;
  std::vector<float> cell_gap;
  std::vector<std::uint16_t> cell_bin;
  std::vector<std::size_t> vote_first;  ///< entries of row i: vote_first[i] .. vote_first[i+1]-1
  std::vector<double> vote_share;       ///< pi of every entry of the votes
  // With keep_votes.
  std::vector<ModelRow> model;
  std::vector<double> vote_p;  ///< p of every entry of the votes

  std::size_t rows() const { return confidence.size(); }
  bool has_cells() const { return !cell_bin.empty(); }
  /// The contribution of a row to a statistic with a single cell; needs keep_rows.
  double scalar(Statistic s, std::size_t row) const;
  /// The layout of the sums over these rows, with or without the cells of the classes.
  Layout layout(bool with_classes) const {
    return {bins.count(), mass_bins, with_classes ? classes * bins.count() : 0};
  }

 private:
  void add_row(std::span<const double> p, std::span<const double> certainty);
  /// Adds the sums of the rows since the last block.
  void close_block();
  void keep_row(const ModelRow& row, const RowScore& score, std::span<const double> p,
                const ScoredVotes& row_votes);

  bool keep_cells_;
  // The current block.
  std::size_t block_first_ = 0;
  std::array<Sum, kScalarSums> scalars_;
  CellBlock<BinTotals> bin_block_;
  CellBlock<ClassTotals> class_block_;
  std::vector<double> gap_;   ///< p - pi of the current row
  std::vector<double> at_p_;  ///< p of the classes voted for
  std::vector<double> log_p_;
  RowScratch scratch_;
};

}  // namespace credence::metrics
