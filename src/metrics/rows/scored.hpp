// What one pass over the probabilities leaves behind: a few numbers per example, and the sums that
// metrics are computed from.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "core/bins.hpp"
#include "credence/dataset.hpp"
#include "credence/metrics.hpp"
#include "metrics/numbers/sum.hpp"
#include "metrics/rows/row_score.hpp"
#include "metrics/rows/share_table.hpp"
#include "metrics/sums/statistics.hpp"
#include "metrics/sums/totals.hpp"

namespace credence::metrics {

/// Beyond this many probabilities the cells of the classes are not kept row by row.
inline constexpr std::size_t kMostCells = 50'000'000;

class Scored {
 public:
  /// For rows [votes_from, votes_from + rows) of the votes, which are numbers `first_row` on of
  /// all.
  Scored(const Votes& votes, MetricOptions options, std::uint64_t first_row, std::size_t votes_from,
         std::size_t rows);

  /// Checks and scores the next rows.
  void add(Rows probabilities, Rows certainties);
  /// After the last row: all that it adds to an evaluation.
  void finish();
  /// Adds the rows that follow, of the same votes; both parts are finished.
  void append(Scored next);
  /// Keeps what bootstrap() needs to know of all rows.
  void keep(const MassBins& mass);

  /// Of the caller; only valid until the evaluation is done. `own_votes` is what is kept.
  const Votes* votes;
  std::optional<Votes> own_votes;
  MetricOptions options;
  std::uint64_t first_row;
  std::size_t votes_from;
  std::size_t classes;
  core::UnitBins bins;

  std::vector<std::uint32_t> predicted;  ///< ctop
  std::vector<double> confidence;        ///< conf = p[ctop]
  std::vector<double> agreement;         ///< r = pi[ctop]
  std::vector<unsigned char> hit;        ///< [ctop = y*]
  std::vector<double> entropy;           ///< H(pi)
  std::vector<std::uint32_t> mass_bin;   ///< the equally filled bin of the confidence
  std::size_t mass_bins = 0;

  /// The cell of every entry of the votes, row by row, where draws or keep_rows ask for it. Cell k
  /// * bins + b: class k, the rows with p_k in bin b.
  std::vector<std::uint32_t> vote_cell;

  Summary summary;  ///< of the rows, block by block as they come

  /// Told of every block when it is complete: its rows are those from `first` on. What is kept of
  /// them below is forgotten afterwards.
  std::function<void(std::size_t first)> block_done;
  std::size_t kept_from = 0;  ///< the first row that is still kept

  // With keep_rows or block_done: one column per statistic with a single cell (those above stay
  // empty here), and for every probability its gap and bin. float32 is enough: only spreads are
  // computed from it.
  std::array<std::vector<double>, kScalars> columns;
  std::vector<float> cell_gap;
  std::vector<std::uint16_t> cell_bin;
  /// Entries of the votes of row kept_from + i: vote_first[i] .. vote_first[i + 1] - 1.
  std::vector<std::size_t> vote_first;
  std::vector<double> vote_share;  ///< pi of every entry of the kept rows
  // With keep_votes.
  std::vector<ModelRow> model;
  std::vector<double> vote_p, vote_log_p;  ///< p of every entry of the votes

  std::size_t rows() const { return confidence.size(); }
  VoteRow vote_row(std::size_t row) const { return votes->row(votes_from + row); }
  double vote_total(std::size_t row) const { return votes->total(votes_from + row); }
  bool has_cells() const { return !cell_bin.empty(); }
  /// The contribution of a kept row to a statistic with a single cell.
  double scalar(Statistic s, std::size_t row) const;
  /// The layout of the sums over these rows, with or without the cells of the classes.
  Layout layout(bool with_classes) const {
    return {bins.count(), mass_bins, with_classes ? classes * bins.count() : 0};
  }

 private:
  /// Rows of one block.
  void add_rows(Rows probabilities, Rows certainties);
  void score(std::size_t row, std::span<const double> p, std::span<const double> certainty);
  static ModelRow model_row(std::span<const double> p, const double* log_p, const double* rest,
                            bool all_voted);
  /// Adds the sums of the rows since the last block.
  void close_block();
  void keep_row(const ModelRow& row, const RowScore& score, const ScoredVotes& row_votes);

  /// What is computed side by side for the rows under way, before they are scored one by one.
  struct UnderWay {
    std::vector<double> log_p, gap;              ///< of every probability: its logarithm, p - pi,
    std::vector<double> rest;                    ///< p where nobody voted, 0 elsewhere,
    std::vector<std::uint32_t> cell;             ///< and its cell
    std::vector<double> shares, at_p, at_log_p;  ///< of the classes of a row that have votes,
    std::vector<std::uint32_t> number;           ///< and the numbers of their shares
    std::size_t first_row = 0;
    void prepare(Rows probabilities, const core::UnitBins& bins);
  };

  /// After block_done: the rows are no longer kept.
  void forget_rows();

  bool keep_rows_, keep_cells_;
  std::size_t kept_columns_;  ///< where those of `columns` end
  bool keep_vote_cells_;
  bool finished_ = false;
  // The current block.
  std::size_t block_first_ = 0;
  SumRow<kScalarSums> scalars_;
  CellBlock<BinTotals> bin_block_;
  CellBlock<ClassTotals> class_block_;
  ChanceCounter bin_chances_, cell_chances_;
  ShareTable share_table_;
  UnderWay under_way_;
};

}  // namespace credence::metrics
