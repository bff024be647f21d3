// The calibration errors of the predicted class alone: one pass over the probabilities that looks
// for the largest, and nothing per class.
#include <algorithm>
#include <cmath>
#include <utility>

#include "credence/error.hpp"
#include "credence/evaluate.hpp"
#include "metrics/rows/checks.hpp"
#include "metrics/sums/draw_hits.hpp"

namespace credence {
namespace {

/// The sum of the magnitudes of a total over the bins.
double sum_of_magnitudes(const metrics::CellSums<metrics::BinTotals>& bins,
                         double metrics::BinTotals::*total) {
  double sum = 0.0;
  for (const metrics::BinTotals& bin : bins.totals) sum += std::abs(bin.*total);
  return sum;
}

}  // namespace

struct TopEvaluator::State {
  const Votes* votes;
  MetricOptions options;
  std::vector<double> confidence, agreement;
  std::vector<unsigned char> hit;

  metrics::TopRows rows() const { return {0, confidence, agreement, hit}; }
};

TopEvaluator::TopEvaluator(const Votes& votes, MetricOptions options) {
  metrics::check_options(votes, options);
  state_ = std::make_unique<State>(State{&votes, options, {}, {}, {}});
  state_->confidence.reserve(votes.rows());
  state_->agreement.reserve(votes.rows());
  state_->hit.reserve(votes.rows());
}
TopEvaluator::~TopEvaluator() = default;
TopEvaluator::TopEvaluator(TopEvaluator&&) noexcept = default;
TopEvaluator& TopEvaluator::operator=(TopEvaluator&&) noexcept = default;

void TopEvaluator::add(Rows probabilities) {
  const Votes& votes = *state_->votes;
  metrics::check_shape(probabilities, state_->confidence.size(), votes);
  for (std::size_t i = 0; i < probabilities.rows(); ++i) {
    const auto p = probabilities.row(i);
    const std::size_t row = state_->confidence.size();
    metrics::check_row(p, row);
    // Ties go to the lowest index, as they do for votes.
    const auto top = static_cast<std::uint32_t>(std::max_element(p.begin(), p.end()) - p.begin());
    state_->confidence.push_back(p[top]);
    state_->agreement.push_back(votes.share(row, top));
    state_->hit.push_back(votes.voted(row) == top ? 1 : 0);
  }
}

TopErrors TopEvaluator::finish() {
  const metrics::TopRows rows = state_->rows();
  metrics::check_complete(rows.size(), *state_->votes);
  const core::UnitBins unit_bins(state_->options.bins);
  const metrics::CellSums<metrics::BinTotals> bins = metrics::bin_tree(rows, unit_bins).total();
  const auto count = static_cast<double>(rows.size());
  TopErrors errors;
  errors.ece_voted = sum_of_magnitudes(bins, &metrics::BinTotals::voted_gap) / count;
  errors.ece_expected = sum_of_magnitudes(bins, &metrics::BinTotals::gap) / count;
  if (state_->options.draws > 0) {
    const metrics::Point drawn = metrics::ece_of_draws(
        bins, metrics::draw_top(rows, unit_bins, state_->options), state_->options, count);
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
