// Brier scores against the annotators' distribution, one annotator, and all possible annotators.
#include "metrics/catalogue/definition.hpp"

namespace credence::metrics {

namespace {

double sum_of_two(double sum, double other) { return sum + other; }

}  // namespace

extern const Definition kBrier{
    .metric = {.name = "brier",
               .better = Direction::lower,
               .meaning = "squared distance to the annotators' distribution",
               .definition = "mean |p - pi|^2",
               .needs = Evidence::annotations,
               .monte_carlo = false,
               .interval = true,
               .why_no_interval = {}},
    .functional = mean_of(Statistic::brier)};

extern const Definition kBrierReader{
    .metric = {.name = "brier_reader",
               .better = Direction::lower,
               .meaning = "expected Brier score against one random annotator",
               .definition = "brier + mean (1 - |pi|^2)",
               .needs = Evidence::annotations,
               .monte_carlo = false,
               .interval = true,
               .why_no_interval = {}},
    .functional = {.of = {Statistic::brier, Statistic::disagreement, Statistic::none},
                   .term = each_lane<sum_of_two>}};

extern const Definition kBrierUnbiased{
    .metric = {.name = "brier_unbiased",
               .better = Direction::lower,
               .meaning = "squared distance to the distribution of all possible annotators, "
                          "estimated without bias",
               .definition = "mean |p - pi|^2 - (1 - |pi|^2)/(m - 1) over rows with m >= 2",
               .needs = Evidence::distributions,
               .monte_carlo = false,
               .interval = true,
               .why_no_interval = {}},
    .functional = mean_over_repeated(Statistic::brier_unbiased),
    .available = has_repeated_rows};

extern const Definition kAnnotatorDisagreement{
    .metric = {.name = "annotator_disagreement",
               .better = Direction::neither,
               .meaning = "the part of brier_reader that no model can remove",
               .definition = "mean 1 - sum_k c_k (c_k - 1)/(m (m - 1)) over rows with m >= 2",
               .needs = Evidence::distributions,
               .monte_carlo = false,
               .interval = true,
               .why_no_interval = {},
               .former_name = "human_ceiling"},
    .functional = mean_over_repeated(Statistic::ceiling),
    .available = has_repeated_rows};

}  // namespace credence::metrics
