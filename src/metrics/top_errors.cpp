// The calibration errors of the predicted class alone: one pass over the probabilities that looks
// for the largest, and nothing per class.
#include <algorithm>
#include <cmath>
#include <numeric>

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

/// Checks a row and returns the index of its largest entry, the lowest on ties, as for votes.
std::uint32_t checked_top(std::span<const double> p, std::size_t row) {
  // Eight of each beside each other: none waits for the one before.
  constexpr std::size_t kLanes = 8;
  double sum[kLanes] = {}, low[kLanes], high[kLanes];
  std::fill_n(low, kLanes, p[0]);
  std::fill_n(high, kLanes, p[0]);
  const auto look = [&](std::size_t lane, double x) {
    sum[lane] += x;
    low[lane] = x < low[lane] ? x : low[lane];
    high[lane] = x > high[lane] ? x : high[lane];
  };
  std::size_t k = 0;
  for (; k + kLanes <= p.size(); k += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) look(lane, p[k + lane]);
  }
  for (std::size_t lane = 0; k < p.size(); ++k, ++lane) look(lane, p[k]);
  const double total = std::accumulate(sum, sum + kLanes, 0.0);
  const double most = *std::max_element(high, high + kLanes);
  // What is not certain to be right, not-a-number included, is looked at one by one.
  const bool right = *std::min_element(low, low + kLanes) >= 0.0 &&
                     std::abs(total - 1.0) <= 0.5 * metrics::kSumTolerance;
  if (!right) [[unlikely]]
    metrics::check_row(p, row);
  return static_cast<std::uint32_t>(std::find(p.begin(), p.end(), most) - p.begin());
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
    const std::uint32_t top = checked_top(p, row);
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
