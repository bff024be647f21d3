#include <utility>

#include "core/release.hpp"
#include "credence/error.hpp"
#include "credence/evaluate.hpp"
#include "metrics/rows/checks.hpp"
#include "metrics/rows/scored.hpp"

namespace credence {

struct Evaluator::State {
  std::shared_ptr<metrics::Scored> scored;
};

Evaluator::Evaluator(const Votes& votes, MetricOptions options)
    : Evaluator(votes, options, 0, votes.rows()) {}

Evaluator::Evaluator(const Votes& votes, MetricOptions options, std::size_t first,
                     std::size_t rows) {
  metrics::check_options(votes, options);
  state_ = std::make_unique<State>(
      State{std::make_shared<metrics::Scored>(votes, options, first, first, rows)});
}

Evaluator::~Evaluator() = default;
Evaluator::Evaluator(Evaluator&&) noexcept = default;
Evaluator& Evaluator::operator=(Evaluator&&) noexcept = default;

void Evaluator::add(Rows probabilities, Rows certainties) {
  state_->scored->add(probabilities, certainties);
}

void Evaluator::close() { state_->scored->finish(); }

void Evaluator::append(Evaluator next) { state_->scored->append(std::move(*next.state_->scored)); }

Evaluation Evaluator::finish() {
  metrics::Scored& s = *state_->scored;
  metrics::check_complete(s.rows(), *s.votes);
  s.finish();
  const metrics::Totals totals(s.summary);
  Evaluation result = metrics::evaluation_of(totals);
  s.keep(totals.mass);
  if (s.options.keep_votes) s.own_votes = *s.votes;
  s.votes = s.own_votes ? &*s.own_votes : nullptr;
  if (s.options.keep_rows || s.options.keep_examples) {
    // Bootstraps look at the bins; the rest is in the result, or in the rows.
    s.summary.cells = {};
    s.summary.cell_chances = s.summary.bin_chances = {};
    core::release(s.summary.confidence, s.summary.agreement, s.summary.entropy,
                  s.summary.predicted_disagreement, s.summary.observed_disagreement);
    if (!s.options.keep_rows) core::release(s.vote_cell);  // the draws are made
    result.kept = std::move(state_->scored);
  }
  return result;
}

ExampleScores examples(const Evaluation& evaluation) {
  if (!evaluation.kept) {
    throw Error(ErrorCode::usage, "the scores of single examples were not kept",
                "evaluate with MetricOptions::keep_examples");
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
