// Calibration errors over equally filled bins of confidence.
#include "metrics/catalogue/definition.hpp"

namespace credence::metrics {

extern const Definition kAeceExpected{
    .metric = {.name = "aece_expected",
               .better = Direction::lower,
               .percent = true,
               .meaning = "ece_expected with equally filled bins",
               .definition = "sum_b |sum_{i in b} (conf - r)| / n over equally filled bins",
               .needs = Evidence::annotations,
               .monte_carlo = false,
               .interval = true,
               .why_no_interval = {}},
    .functional = magnitudes_of(Statistic::mass_gap),
    .available = rows_are_listed};

}  // namespace credence::metrics
