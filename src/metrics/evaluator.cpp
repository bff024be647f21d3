#include <utility>

#include "credence/error.hpp"
#include "metrics/checks.hpp"
#include "metrics/gap_bins.hpp"
#include "metrics/scored.hpp"

namespace credence {

struct Evaluator::State {
  std::shared_ptr<metrics::Scored> scored;
};

Evaluator::Evaluator(const Votes& votes, MetricOptions options) {
  metrics::check_options(votes, options);
  state_ = std::make_unique<State>(State{std::make_shared<metrics::Scored>(votes, options)});
}

Evaluator::~Evaluator() = default;
Evaluator::Evaluator(Evaluator&&) noexcept = default;
Evaluator& Evaluator::operator=(Evaluator&&) noexcept = default;

void Evaluator::add(Rows probabilities) {
  metrics::Scored& s = *state_->scored;
  metrics::check_shape(probabilities, s.rows(), *s.votes);
  for (std::size_t i = 0; i < probabilities.rows(); ++i) {
    metrics::check_row(probabilities.row(i), s.rows());
    s.add_row(probabilities.row(i));
  }
}

Evaluation Evaluator::finish() {
  metrics::Scored& s = *state_->scored;
  metrics::check_complete(s.rows(), *s.votes);
  s.finish();
  Evaluation result;
  result.protocol = s.options;
  result.rows = s.rows();
  result.classes = s.votes->classes();
  result.infinite_nll_rows = s.infinite_nll_rows;
  result.repeated_rows = s.votes_are_counts ? s.repeated_rows() : 0;
  result.ece_by_chance = metrics::ece_by_chance(metrics::gap_bins(s));
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
