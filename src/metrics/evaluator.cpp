#include <fmt/format.h>

#include <cmath>

#include "credence/error.hpp"
#include "metrics/scored.hpp"

namespace credence {
namespace {

/// Row sums may be off by this much, as in check_scores: float16 and printed probabilities are.
constexpr double kSumTolerance = 1e-3;

[[noreturn]] void refuse(const std::string& message) {
  throw Error(ErrorCode::data, message,
              "metrics need probabilities; turn logits or log-probabilities into them first");
}

void check_row(std::span<const double> p, std::size_t row) {
  double sum = 0.0;
  for (std::size_t k = 0; k < p.size(); ++k) {
    if (!(p[k] >= 0.0 && p[k] <= 1.0 + kSumTolerance)) {
      refuse(
          fmt::format("probabilities: row {}, column {}: {} is not between 0 and 1", row, k, p[k]));
    }
    sum += p[k];
  }
  if (std::abs(sum - 1.0) > kSumTolerance) {
    refuse(fmt::format("probabilities: row {}: sum is {}, wanted 1", row, sum));
  }
}

void check_option(const char* name, int value) {
  if (value < 1 || value > kMaxBins) {
    throw Error(ErrorCode::usage, fmt::format("{} = {}; wanted 1 to {}", name, value, kMaxBins));
  }
}

}  // namespace

struct Evaluator::State : metrics::Scored {
  using Scored::Scored;
};

Evaluator::Evaluator(const Votes& votes, MetricOptions options) {
  check_option("bins", options.bins);
  check_option("entropy_bins", options.entropy_bins);
  if (votes.rows() == 0)
    throw Error(ErrorCode::data, "no examples to evaluate: the votes are empty");
  state_ = std::make_unique<State>(votes, options);
}

Evaluator::~Evaluator() = default;
Evaluator::Evaluator(Evaluator&&) noexcept = default;
Evaluator& Evaluator::operator=(Evaluator&&) noexcept = default;

void Evaluator::add(Rows probabilities) {
  State& s = *state_;
  if (probabilities.cols() != s.votes.classes()) {
    throw Error(ErrorCode::data, fmt::format("probabilities have {} classes, votes have {}",
                                             probabilities.cols(), s.votes.classes()));
  }
  if (probabilities.rows() > s.votes.rows() - s.rows()) {
    throw Error(ErrorCode::data, fmt::format("probabilities have at least {} rows, votes have {}",
                                             s.rows() + probabilities.rows(), s.votes.rows()));
  }
  for (std::size_t i = 0; i < probabilities.rows(); ++i) {
    check_row(probabilities.row(i), s.rows());
    s.add_row(probabilities.row(i));
  }
}

Evaluation Evaluator::finish() {
  const State& s = *state_;
  if (s.rows() != s.votes.rows()) {
    throw Error(ErrorCode::data,
                fmt::format("probabilities have {} rows, votes have {}", s.rows(), s.votes.rows()));
  }
  Evaluation result;
  result.protocol = s.options;
  result.rows = s.rows();
  result.classes = s.votes.classes();
  result.infinite_nll_rows = s.infinite_nll_rows;
  result.repeated_rows = s.votes_are_counts ? s.repeated_rows : 0;
  result.metrics = metrics::compute_metrics(s);
  result.reliability = metrics::reliability(s);
  result.pointwise_by_entropy = metrics::pointwise_by_entropy(s);
  return result;
}

Evaluation evaluate(Rows probabilities, const Votes& votes, MetricOptions options) {
  Evaluator evaluator(votes, options);
  evaluator.add(probabilities);
  return evaluator.finish();
}

}  // namespace credence
