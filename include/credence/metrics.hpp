// Scores of probabilities against votes. Evaluation sees probabilities and votes only, never how
// the probabilities were made, so it cannot favour a method.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "credence/dataset.hpp"
#include "credence/matrix.hpp"

namespace credence {

struct MetricOptions {
  int bins = 15;          ///< confidence bins: bin b is (b/B, (b+1)/B], the first closed at 0
  int entropy_bins = 10;  ///< equal-frequency bins of annotation entropy for the pointwise error
};

/// One bin of the reliability diagram.
struct ReliabilityBin {
  std::size_t count = 0;
  double confidence = 0.0;  ///< mean confidence
  double agreement = 0.0;   ///< mean share of annotators who chose the predicted class
  double accuracy = 0.0;    ///< mean of [predicted = voted]
};

struct EntropyBin {
  std::size_t count = 0;
  double entropy = 0.0;         ///< mean H(pi)/log K
  double error = 0.0;           ///< mean |confidence - agreement|
  double standard_error = 0.0;  ///< of that mean
};

/// A named value; empty when the votes cannot give it (for example m = 1 for brier_unbiased).
struct MetricValue {
  std::string_view name;
  std::optional<double> value;
};

struct Evaluation {
  MetricOptions protocol;
  std::size_t rows = 0;
  std::size_t classes = 0;
  std::size_t infinite_nll_rows = 0;  ///< rows with probability 0 for a class somebody chose
  std::vector<MetricValue> metrics;   ///< in the order of kMetrics
  std::vector<ReliabilityBin> reliability;
  std::vector<EntropyBin> pointwise_by_entropy;
  std::optional<double> operator[](std::string_view name) const;
};

enum class Direction { lower, higher, neither };

/// The catalogue of metrics, from which help, docs and tests list them.
struct Metric {
  std::string_view name;
  Direction better;
  std::string_view meaning;
};
std::span<const Metric> metric_table();

/// Consumes probabilities block by block, in row order; keeps a few numbers per example, never the
/// probabilities. Cost O(nK) time and O(n) memory.
class Evaluator {
 public:
  Evaluator(const Votes& votes, MetricOptions options = {});
  /// Rows first_row .. first_row + probabilities.rows() - 1 of the votes. Blocks arrive in order.
  void add(Rows probabilities);
  Evaluation finish();

 private:
  const Votes* votes_;
  MetricOptions options_;
  std::size_t next_ = 0;
  std::vector<double> confidence_, agreement_;
  std::vector<unsigned char> hit_;
  std::vector<double> class_gap_;  ///< K x bins sums of p - pi for the classwise error
  double nll_ = 0, brier_ = 0;
  std::size_t infinite_rows_ = 0;
};

Evaluation evaluate(Rows probabilities, const Votes& votes, MetricOptions options = {});

}  // namespace credence
