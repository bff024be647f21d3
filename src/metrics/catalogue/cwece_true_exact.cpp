// The mean of the classwise calibration error against one drawn annotator per example. The answers
// of one draw depend on each other across classes, but a mean of sums does not mind: every cell (a
// class and a bin of its probability) has an expectation of its own.
#include "metrics/catalogue/definition.hpp"
#include "metrics/numbers/poisson_binomial.hpp"

namespace credence::metrics {
namespace {

Point cwece_true_exact(const Totals& t) {
  double total = 0.0;
  CellByCell chances(t.all.cell_chances);
  for (std::size_t i = 0; i < t.cells.cells.size(); ++i) {
    const ClassTotals& cell = t.cells.totals[i];
    total += mean_absolute_deviation(cell.probability - cell.certain, chances.of(t.cells.cells[i]));
  }
  return {t.mean(total) / static_cast<double>(t.classes), {}};
}

}  // namespace

extern const Definition kCweceTrueExact{
    .metric = {.name = "cwece_true_exact",
               .better = Direction::lower,
               .percent = true,
               .meaning = "mean of cwece_true over all draws",
               .definition = "mean_k sum_b E|sum_{i: p_k in b} (p_k - [y = k])| / n over y ~ pi",
               .needs = Evidence::distributions,
               .monte_carlo = false,
               .interval = true,
               .why_no_interval = {}},
    .functional = {.of = {Statistic::class_gap, Statistic::class_variance, Statistic::none},
                   .term = folded},
    .mean_over_classes = true,
    .point = cwece_true_exact};

}  // namespace credence::metrics
