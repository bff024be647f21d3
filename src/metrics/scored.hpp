// What one pass over the probabilities leaves behind: a few numbers per example and a few sums.
// Every metric is computed from this and the votes.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "core/bins.hpp"
#include "credence/dataset.hpp"
#include "credence/metrics.hpp"
#include "metrics/sum.hpp"

namespace credence::metrics {

class Scored {
 public:
  Scored(const Votes& votes, MetricOptions options);

  /// Scores the next row, whose entries have been checked.
  void add_row(std::span<const double> p);

  const Votes& votes;
  MetricOptions options;
  core::UnitBins bins;

  std::vector<double> confidence;  ///< conf = p[ctop]
  std::vector<double> agreement;   ///< r = pi[ctop]
  std::vector<unsigned char> hit;  ///< [ctop = y*]
  std::vector<double> entropy;     ///< H(pi)
  std::vector<double> class_gap;  ///< K x bins: sum of p_k - pi_k over the rows with p_k in the bin
  Sum brier;                      ///< sum of norm2(p - pi)^2
  Sum disagreement;               ///< sum of 1 - norm2(pi)^2
  Sum nll;                        ///< over the rows where it is finite
  std::size_t infinite_nll_rows = 0;

  /// Whole numbers of votes everywhere, so that "two votes or more" has a meaning.
  bool votes_are_counts = true;
  std::size_t repeated_rows = 0;  ///< rows with two votes or more
  Sum brier_unbiased;             ///< over the repeated rows
  Sum ceiling;                    ///< over the repeated rows

  std::size_t rows() const { return confidence.size(); }
  double mean(double sum) const { return sum / static_cast<double>(rows()); }

 private:
  double vote_entropy(VoteRow row, double total);

  std::vector<double> gap_;     ///< p - pi of the current row
  std::vector<double> sorted_;  ///< its votes, ascending
};

// calibration_error.cpp
double ece_voted(const Scored&);
double ece_true_exact(const Scored&);
double ece_floor(const Scored&);
double aece_expected(const Scored&);
double cwece_expected(const Scored&);
double ece2_debiased(const Scored&);
std::vector<ReliabilityBin> reliability(const Scored&);

// proper_scores.cpp
std::optional<double> nll(const Scored&);
std::optional<double> kl(const Scored&);
std::optional<double> brier_unbiased(const Scored&);
std::optional<double> human_ceiling(const Scored&);

// pointwise.cpp
double pointwise(const Scored&);
std::vector<EntropyBin> pointwise_by_entropy(const Scored&);

// table.cpp
std::vector<MetricValue> compute_metrics(const Scored&);

}  // namespace credence::metrics
