// Log-likelihoods against the annotators' distribution.
#include "metrics/catalogue/definition.hpp"

namespace credence::metrics {

namespace {

bool finite(const Totals& t) { return t.infinite_nll_rows == 0; }

double difference(double sum, double other) { return sum - other; }

}  // namespace

extern const Definition kNll{.metric = {.name = "nll",
                                        .better = Direction::lower,
                                        .meaning = "cross-entropy to the annotators' distribution",
                                        .definition = "mean -sum_k pi_k log p_k",
                                        .needs = Evidence::annotations,
                                        .monte_carlo = false,
                                        .interval = true,
                                        .why_no_interval = {}},
                             .functional = mean_of(Statistic::nll),
                             .available = finite};

extern const Definition kKl{
    .metric = {.name = "kl",
               .better = Direction::lower,
               .meaning = "nll less the entropy of the annotators' distribution",
               .definition = "nll - mean H(pi)",
               .needs = Evidence::annotations,
               .monte_carlo = false,
               .interval = true,
               .why_no_interval = {}},
    .functional = {.of = {Statistic::nll, Statistic::entropy, Statistic::none},
                   .term = each_lane<difference>},
    .available = finite};

}  // namespace credence::metrics
