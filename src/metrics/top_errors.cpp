// The calibration errors of the predicted class alone: one pass over the probabilities that looks
// for the largest, and nothing per class.
#include <algorithm>
#include <cmath>
#include <utility>

#include "credence/error.hpp"
#include "metrics/checks.hpp"
#include "metrics/definition.hpp"

namespace credence {
namespace {

double sum_of_magnitudes(const std::vector<double>& sums) {
  double total = 0.0;
  for (const double sum : sums) total += std::abs(sum);
  return total;
}

MetricOptions keeping_nothing(MetricOptions options) {
  options.keep_rows = options.keep_votes = false;
  return options;
}

}  // namespace

/// What the draws look at; the rest of it stays empty.
struct TopEvaluator::State {
  metrics::Scored scored;
};

TopEvaluator::TopEvaluator(const Votes& votes, MetricOptions options) {
  metrics::check_options(votes, options);
  state_ = std::make_unique<State>(State{metrics::Scored(votes, keeping_nothing(options))});
  metrics::Scored& scored = state_->scored;
  scored.confidence.reserve(votes.rows());
  scored.agreement.reserve(votes.rows());
  scored.hit.reserve(votes.rows());
}
TopEvaluator::~TopEvaluator() = default;
TopEvaluator::TopEvaluator(TopEvaluator&&) noexcept = default;
TopEvaluator& TopEvaluator::operator=(TopEvaluator&&) noexcept = default;

void TopEvaluator::add(Rows probabilities) {
  metrics::Scored& scored = state_->scored;
  const Votes& votes = *scored.votes;
  metrics::check_shape(probabilities, scored.rows(), votes);
  for (std::size_t i = 0; i < probabilities.rows(); ++i) {
    const auto p = probabilities.row(i);
    const std::size_t row = scored.rows();
    metrics::check_row(p, row);
    // Ties go to the lowest index, as they do for votes.
    const auto top = static_cast<std::uint32_t>(std::max_element(p.begin(), p.end()) - p.begin());
    scored.confidence.push_back(p[top]);
    scored.agreement.push_back(votes.share(row, top));
    scored.hit.push_back(votes.voted(row) == top ? 1 : 0);
  }
}

TopErrors TopEvaluator::finish() {
  const metrics::Scored& scored = state_->scored;
  metrics::check_complete(scored.rows(), *scored.votes);
  const auto against = [&](const auto& truth) {
    const std::vector<double> gaps =
        core::bin_sums(scored.bins, scored.confidence,
                       [&](std::size_t i) { return scored.confidence[i] - truth(i); });
    return scored.mean(sum_of_magnitudes(gaps));
  };
  TopErrors errors;
  errors.ece_voted = against([&](std::size_t i) { return static_cast<double>(scored.hit[i]); });
  errors.ece_expected = against([&](std::size_t i) { return scored.agreement[i]; });
  if (scored.options.draws > 0) {
    const metrics::Point drawn = metrics::kEceTrue.point(scored);
    errors.ece_true = drawn.value;
    errors.ece_true_error = drawn.monte_carlo_error;
  }
  return errors;
}

TopErrors top_errors(Rows probabilities, const Votes& votes, MetricOptions options) {
  TopEvaluator evaluator(votes, options);
  evaluator.add(probabilities);
  return evaluator.finish();
}

}  // namespace credence
