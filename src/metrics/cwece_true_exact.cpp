// The mean of the classwise calibration error against one drawn annotator per example. The answers
// of one draw depend on each other across classes, but a mean of sums does not mind: every cell (a
// class and a bin of its probability) has an expectation of its own.
#include "metrics/definition.hpp"
#include "metrics/poisson_binomial.hpp"
#include "metrics/rows_by_bin.hpp"

namespace credence::metrics {
namespace {

Point cwece_true_exact(const Scored& s) {
  std::vector<double> shares;
  shares.reserve(s.vote_cell.size());
  for (std::size_t i = 0; i < s.rows(); ++i) {
    for (const double c : s.votes->row(i).weights) shares.push_back(c / s.votes->total(i));
  }
  // Classes that nobody chose have no chance and need no flip.
  const RowsByBin by_cell(shares.size(), s.class_total.size(),
                          [&](std::size_t entry) { return s.vote_cell[entry]; });
  double total = 0.0;
  std::vector<double> chances;
  for (std::size_t cell = 0; cell < s.class_total.size(); ++cell) {
    double gap = s.class_total[cell];
    chances.clear();
    for (const std::size_t entry : by_cell.bin(cell)) {
      if (shares[entry] >= 1.0) {
        gap -= 1.0;
      } else {
        chances.push_back(shares[entry]);
      }
    }
    total += mean_absolute_deviation(gap, chances);
  }
  return {s.mean(total) / static_cast<double>(s.classes), {}};
}

}  // namespace

const Definition kCweceTrueExact{
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
