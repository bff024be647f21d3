// How close the whole distribution comes, example by example: the three measures of Baan, Aziz,
// Plank, Fernandez: Stop Measuring Calibration When Humans Disagree. EMNLP 2022.
#include "metrics/catalogue/definition.hpp"

namespace credence::metrics {

extern const Definition kDistCe{
    .metric = {.name = "dist_ce",
               .better = Direction::lower,
               .meaning = "total variation distance to the annotators' distribution",
               .definition = "mean sum_k |p_k - pi_k| / 2",
               .needs = Evidence::annotations,
               .monte_carlo = false,
               .interval = true,
               .why_no_interval = {}},
    .functional = mean_of(Statistic::total_variation)};

extern const Definition kEntropyCe{
    .metric = {.name = "entropy_ce",
               .better = Direction::lower,
               .meaning = "distance between the model's entropy and the annotators', in nats",
               .definition = "mean |H(p) - H(pi)|",
               .needs = Evidence::distributions,
               .monte_carlo = false,
               .interval = true,
               .why_no_interval = {}},
    .functional = mean_of(Statistic::entropy_gap)};

extern const Definition kRankMatch{
    .metric = {.name = "rank_match",
               .better = Direction::higher,
               .meaning = "share of examples whose classes the model ranks as the annotators do",
               .definition = "mean [pi_k > pi_l implies p_k > p_l, for all k, l]",
               .needs = Evidence::distributions,
               .monte_carlo = false,
               .interval = true,
               .why_no_interval = {}},
    .functional = mean_of(Statistic::ranking)};

}  // namespace credence::metrics
