#include "metrics/bins/gap_bins.hpp"
#include "metrics/sums/totals.hpp"

namespace credence::metrics {

Evaluation evaluation_of(const Totals& t) {
  Evaluation result;
  result.protocol = t.options();
  result.rows = t.rows;
  result.classes = t.classes;
  result.infinite_nll_rows = t.infinite_nll_rows;
  result.repeated_rows = t.all.votes_are_counts ? t.repeated_rows : 0;
  result.ece_by_chance = ece_by_chance(gap_bins(t.bins));
  result.metrics = compute_metrics(t);
  result.reliability = reliability(t);
  result.pointwise_by_entropy = pointwise_by_entropy(t);
  result.disagreement_bins = disagreement_bins(t);
  return result;
}

}  // namespace credence::metrics
