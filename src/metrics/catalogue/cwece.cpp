// Calibration errors class by class.
#include "metrics/catalogue/definition.hpp"

namespace credence::metrics {

extern const Definition kCweceExpected{
    .metric = {.name = "cwece_expected",
               .better = Direction::lower,
               .percent = true,
               .meaning = "calibration error of every class, averaged over the classes",
               .definition = "mean_k sum_b |sum_{i: p_k in b} (p_k - pi_k)| / n",
               .needs = Evidence::annotations,
               .monte_carlo = false,
               .interval = true,
               .why_no_interval = {}},
    .functional = magnitudes_of(Statistic::class_gap),
    .mean_over_classes = true};

}  // namespace credence::metrics
