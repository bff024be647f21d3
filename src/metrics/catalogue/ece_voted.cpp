// Calibration error as it is usually measured: against the majority label.
#include "metrics/catalogue/definition.hpp"

namespace credence::metrics {

extern const Definition kEceVoted{
    .metric = {.name = "ece_voted",
               .better = Direction::lower,
               .percent = true,
               .meaning = "calibration error of the top class against the majority label",
               .definition = "sum_b |sum_{i in b} (conf - [ctop = y*])| / n",
               .needs = Evidence::voted,
               .monte_carlo = false,
               .interval = true,
               .why_no_interval = {}},
    .functional = magnitudes_of(Statistic::bin_voted_gap)};

}  // namespace credence::metrics
