// What one pass over the probabilities leaves behind: a few numbers per example and a few sums.
// Every metric is computed from this and the votes.
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
#include "metrics/row_score.hpp"
#include "metrics/statistics.hpp"
#include "metrics/sum.hpp"

namespace credence::metrics {

/// Beyond this many probabilities the cells of the classes are not kept row by row.
inline constexpr std::size_t kMostCells = 50'000'000;

class Scored {
 public:
  Scored(const Votes& votes, MetricOptions options);

  /// Scores the next row, whose entries have been checked.
  void add_row(std::span<const double> p);
  /// After the last row: the equally filled bins.
  void finish();

  /// Of the caller; only valid until the evaluation is done. `own_votes` is what is kept.
  const Votes* votes;
  std::optional<Votes> own_votes;
  MetricOptions options;
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
  std::array<Sum, kScalars> totals;          ///< of nll: over the rows where it is finite
  std::size_t infinite_nll_rows = 0;

  // Cell k * bins + b: class k, the rows with p_k in bin b.
  std::vector<double> class_total;       ///< sum of p_k
  std::vector<double> class_gap;         ///< sum of p_k - pi_k
  std::vector<double> class_variance;    ///< sum of pi_k (1 - pi_k)
  std::vector<std::uint32_t> vote_cell;  ///< the cell of every entry of the votes, row by row

  /// Whole numbers of votes everywhere, so that "two votes or more" has a meaning.
  bool votes_are_counts = true;

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
  double mean(double sum) const { return sum / static_cast<double>(rows()); }
  bool has_cells() const { return !cell_bin.empty(); }
  std::size_t repeated_rows() const { return static_cast<std::size_t>(total(Statistic::repeated)); }
  double total(Statistic s) const { return totals[static_cast<std::size_t>(s)].value(); }
  /// The contribution of a row to a statistic with a single cell; needs keep_rows.
  double scalar(Statistic s, std::size_t row) const;
  /// The layout of the sums over these rows, with or without the cells of the classes.
  Layout layout(bool with_classes) const {
    return {bins.count(), mass_bins, with_classes ? class_gap.size() : 0};
  }

 private:
  void keep_row(const ModelRow& row, const RowScore& score, std::span<const double> p,
                const ScoredVotes& row_votes);

  bool keep_cells_;
  std::vector<double> gap_;   ///< p - pi of the current row
  std::vector<double> at_p_;  ///< p of the classes voted for
  std::vector<double> log_p_;
  RowScratch scratch_;
};

/// The sums over all rows with weight 1, compensated.
Sums point_sums(const Scored&);

// reliability.cpp
std::vector<ReliabilityBin> reliability(const Scored&);
// pointwise.cpp
std::vector<EntropyBin> pointwise_by_entropy(const Scored&);
// table.cpp
std::vector<MetricValue> compute_metrics(const Scored&);

}  // namespace credence::metrics
