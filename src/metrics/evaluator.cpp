#include <fmt/format.h>

#include <cmath>
#include <utility>

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

struct Evaluator::State {
  std::shared_ptr<metrics::Scored> scored;
};

Evaluator::Evaluator(const Votes& votes, MetricOptions options) {
  check_option("bins", options.bins);
  check_option("entropy_bins", options.entropy_bins);
  if (votes.rows() == 0)
    throw Error(ErrorCode::data, "no examples to evaluate: the votes are empty");
  if (options.draws < 0 || options.draws > kMaxDraws) {
    throw Error(ErrorCode::usage,
                fmt::format("draws = {}; wanted 0 to {}", options.draws, kMaxDraws));
  }
  state_ = std::make_unique<State>(State{std::make_shared<metrics::Scored>(votes, options)});
}

Evaluator::~Evaluator() = default;
Evaluator::Evaluator(Evaluator&&) noexcept = default;
Evaluator& Evaluator::operator=(Evaluator&&) noexcept = default;

void Evaluator::add(Rows probabilities) {
  metrics::Scored& s = *state_->scored;
  if (probabilities.cols() != s.votes->classes()) {
    throw Error(ErrorCode::data, fmt::format("probabilities have {} classes, votes have {}",
                                             probabilities.cols(), s.votes->classes()));
  }
  if (probabilities.rows() > s.votes->rows() - s.rows()) {
    throw Error(ErrorCode::data, fmt::format("probabilities have at least {} rows, votes have {}",
                                             s.rows() + probabilities.rows(), s.votes->rows()));
  }
  for (std::size_t i = 0; i < probabilities.rows(); ++i) {
    check_row(probabilities.row(i), s.rows());
    s.add_row(probabilities.row(i));
  }
}

Evaluation Evaluator::finish() {
  metrics::Scored& s = *state_->scored;
  if (s.rows() != s.votes->rows()) {
    throw Error(ErrorCode::data, fmt::format("probabilities have {} rows, votes have {}", s.rows(),
                                             s.votes->rows()));
  }
  s.finish();
  Evaluation result;
  result.protocol = s.options;
  result.rows = s.rows();
  result.classes = s.votes->classes();
  result.infinite_nll_rows = s.infinite_nll_rows;
  result.repeated_rows = s.votes_are_counts ? s.repeated_rows() : 0;
  result.metrics = metrics::compute_metrics(s);
  result.reliability = metrics::reliability(s);
  result.pointwise_by_entropy = metrics::pointwise_by_entropy(s);
  if (s.options.keep_votes) s.own_votes = *s.votes;
  s.votes = s.own_votes ? &*s.own_votes : nullptr;
  if (s.options.keep_rows) result.kept = std::move(state_->scored);
  return result;
}

ExampleScores examples(const Evaluation& evaluation) {
  if (!evaluation.kept) {
    throw Error(ErrorCode::usage, "the scores of single examples were not kept",
                "evaluate with MetricOptions::keep_rows");
  }
  const metrics::Scored& s = *evaluation.kept;
  const auto column = [&](metrics::Statistic statistic) -> std::span<const double> {
    return s.columns[static_cast<std::size_t>(statistic)];
  };
  return {.predicted = s.predicted,
          .confidence = s.confidence,
          .agreement = s.agreement,
          .nll = column(metrics::Statistic::nll),
          .brier = column(metrics::Statistic::brier),
          .entropy = s.entropy,
          .hit = s.hit};
}

Evaluation evaluate(Rows probabilities, const Votes& votes, MetricOptions options) {
  Evaluator evaluator(votes, options);
  evaluator.add(probabilities);
  return evaluator.finish();
}

}  // namespace credence
