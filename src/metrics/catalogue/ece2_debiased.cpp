// Squared calibration error without what chance adds to it.
#include "metrics/catalogue/definition.hpp"

namespace credence::metrics {

namespace {

/// n_b (gap_b^2 - s_b^2 / n_b) from count, sum and sum of squares of the gaps of a bin.
double debiased_square(double count, double sum, double squares) {
  // One row shows no variance: its squared gap cannot be told from noise and adds nothing.
  if (count < 1.5) return 0.0;
  const double mean = sum / count;
  const double variance = (squares - count * mean * mean) / (count - 1.0);
  return count * mean * mean - variance;
}

}  // namespace

extern const Definition kEce2Debiased{
    .metric = {.name = "ece2_debiased",
               .better = Direction::lower,
               .meaning = "squared calibration error less what chance adds; may be below 0",
               .definition = "sum_b (n_b/n) (gap_b^2 - s_b^2/n_b), gap of conf - r",
               .needs = Evidence::annotations,
               .monte_carlo = false,
               .interval = true,
               .why_no_interval = {}},
    .functional = {.of = {Statistic::bin_count, Statistic::bin_gap, Statistic::bin_gap_square},
                   .term = each_lane<debiased_square>},
    .of_gaps = OfGaps::square};

}  // namespace credence::metrics
