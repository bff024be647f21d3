// How often the predicted class is right, for the majority label and for one annotator.
#include "metrics/catalogue/definition.hpp"

namespace credence::metrics {

extern const Definition kAccuracy{
    .metric = {.name = "accuracy",
               .better = Direction::higher,
               .percent = true,
               .meaning = "share of examples whose predicted class is the majority label",
               .definition = "mean [ctop = y*]",
               .needs = Evidence::voted,
               .monte_carlo = false,
               .interval = true,
               .why_no_interval = {}},
    .functional = mean_of(Statistic::hit)};

extern const Definition kReaderAccuracy{
    .metric = {.name = "reader_accuracy",
               .better = Direction::higher,
               .percent = true,
               .meaning = "chance that a random annotator chose the predicted class",
               .definition = "mean r",
               .needs = Evidence::annotations,
               .monte_carlo = false,
               .interval = true,
               .why_no_interval = {}},
    .functional = mean_of(Statistic::agreement)};

}  // namespace credence::metrics
