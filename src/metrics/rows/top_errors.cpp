// The calibration errors of the predicted class alone: one pass over the probabilities that looks
// for the largest, and nothing per class.
#include <algorithm>
#include <utility>

#include "core/array_kernels.hpp"
#include "credence/evaluate.hpp"
#include "metrics/rows/checks.hpp"
#include "metrics/rows/gap_totals.hpp"
#include "metrics/sums/draw_hits.hpp"

namespace credence {
namespace {

/// Confidence and predicted class; false where something is not as it should be.
bool find_tops(Rows p, double* confidence, std::uint32_t* top) {
  const unsigned facts =
      core::array_kernels().top_probability_f64(p.data(), p.rows(), p.cols(), confidence, top);
  return (facts & core::kOddProbabilities) == 0;
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
  double confidence[kBlockRows];
  std::uint32_t top[kBlockRows];
  for (std::size_t first = 0; first < probabilities.rows(); first += kBlockRows) {
    const std::size_t count = std::min(kBlockRows, probabilities.rows() - first);
    const Rows block = probabilities.block(first, count);
    const bool usual = find_tops(block, confidence, top);
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t row = state_->confidence.size();
      if (!usual) metrics::check_row(block.row(i), row);
      state_->confidence.push_back(confidence[i]);
      state_->agreement.push_back(votes.share(row, top[i]));
      state_->hit.push_back(votes.voted(row) == top[i] ? 1 : 0);
    }
  }
}

TopErrors TopEvaluator::finish() {
  const metrics::TopRows rows = state_->rows();
  metrics::check_complete(rows.size(), *state_->votes);
  const core::UnitBins unit_bins(state_->options.bins);
  if (state_->options.draws > 0) return metrics::drawn_errors(rows, unit_bins, state_->options);
  metrics::GapTree tree;
  metrics::CellBlock<metrics::GapTotals> cells(unit_bins.count());
  for (std::size_t first = 0; first < rows.size(); first += kBlockRows) {
    const metrics::TopRows block = rows.part(first, std::min(kBlockRows, rows.size() - first));
    tree.push({first / kBlockRows, 0, metrics::gap_totals(block, unit_bins, cells)});
  }
  return metrics::gap_errors(tree.total(), rows.size());
}

TopErrors metrics::drawn_errors(const TopRows& rows, const core::UnitBins& bins,
                                const MetricOptions& options) {
  const CellSums<BinTotals> all = bin_tree(rows, bins).total();
  TopErrors errors = gap_errors(all, rows.size());
  const Point drawn =
      ece_of_draws(all, draw_top(rows, bins, options), options, static_cast<double>(rows.size()));
  errors.ece_true = drawn.value;
  errors.ece_true_error = drawn.monte_carlo_error;
  return errors;
}

TopErrors top_errors(Rows probabilities, const Votes& votes, MetricOptions options) {
  TopEvaluator evaluator(votes, options);
  evaluator.add(probabilities);
  return evaluator.finish();
}

}  // namespace credence
