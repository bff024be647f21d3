// What diagrams need beyond the metrics: spreads, histograms and grids of counts, so small that a
// results file can hold them whatever the number of examples.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace credence {

/// Beside a bin of the reliability diagram; everything is empty for an empty bin.
struct BinSpread {
  /// Standard errors of the two means, from the spread of the examples, or of the groups where
  /// there are any; empty for a single one.
  std::optional<double> agreement_error, accuracy_error;
  /// Standard deviations of the two means if every confidence c were exactly right: sqrt(sum c
  /// (1-c) / m) / count and sqrt(sum c (1-c)) / count, with m votes per example. The first is empty
  /// where the number of votes is unknown.
  std::optional<double> agreement_noise, accuracy_noise;
  bool operator==(const BinSpread&) const = default;
};

/// Confidence before and after, over examples of similar confidence before.
struct ConfidenceMapBin {
  std::size_t count = 0;
  double before = 0.0, after = 0.0;  ///< means
  double low = 0.0, high = 0.0;      ///< 10 and 90 % quantile of the confidence after
  bool operator==(const ConfidenceMapBin&) const = default;
};

/// Counts of examples over [0, 1] x [0, 1]: annotation entropy over log K along the columns,
/// |confidence - agreement| along the rows.
struct ErrorDensity {
  std::size_t columns = 40, rows = 30;
  std::vector<std::size_t> counts;  ///< row-major, the lowest error first
  bool operator==(const ErrorDensity&) const = default;
};

struct MethodDiagrams {
  std::vector<BinSpread> reliability;  ///< bin by bin; empty when the examples were not kept
  // Of the first split only.
  std::vector<ConfidenceMapBin> confidence_map;
  std::optional<ErrorDensity> error_density;
};

/// How annotations are spread over examples and classes.
struct VoteDiagrams {
  std::vector<std::size_t> entropy_histogram;  ///< equal bins of entropy over log K
  /// A number of votes and how many examples have it; beyond 50 numbers, mean votes of equal
  /// ranges. Empty where the number of votes is unknown.
  std::vector<std::pair<double, std::size_t>> votes_histogram;
  std::vector<double> annotator_shares, voted_shares;  ///< of the classes
  /// What annotators said (columns) where the majority label is a class (rows), row-major; with it
  /// the number of examples behind each row. Empty beyond kMostConfusionClasses classes.
  std::vector<double> confusion;
  std::vector<std::size_t> confusion_rows;
  bool operator==(const VoteDiagrams&) const = default;
};
inline constexpr std::size_t kMostConfusionClasses = 40;

}  // namespace credence
