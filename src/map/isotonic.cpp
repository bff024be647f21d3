// Top-label isotonic regression: the monotone step function of confidence closest in squares to the
// targets. theta = [s-1 thresholds, s values]: value j holds from threshold j-1 up to threshold j.
#include "map/isotonic.hpp"

#include "map/step_pools.hpp"

namespace credence::map {

TopLabelFit Math<TopLabelIsotonic>::fit(const TopLabelIsotonic& map,
                                        std::vector<TopLabel> examples) {
  sort_by_confidence(examples);
  std::vector<Pool> pools;
  for (std::span<const TopLabel> rest = examples; !rest.empty();) {
    push_pool(pools, pool_ties(rest));
  }
  smooth_pools(pools, map.step_prior);
  TopLabelFit out{steps_of(pools, map.step_prior), 0.0};

  RowsBelow all, below;
  WholeSum squares = 0;
  for (const TopLabel& example : examples) {
    ++all.weight;
    all.sum += whole_target(example.target);
    squares += whole_target(example.target * example.target);
  }
  // Thresholds rise, so the rows below each begin with those below the one before.
  out.loss = mean_square(out.theta, all, squares, [&](double threshold) {
    for (; below.weight < all.weight; ++below.weight) {
      const TopLabel& next = examples[below.weight];
      if (next.confidence >= threshold) break;
      below.sum += whole_target(next.target);
    }
    return below;
  });
  return out;
}

double Math<TopLabelIsotonic>::value(const TopLabelIsotonic&, Params theta, double confidence) {
  const std::size_t thresholds = theta.size() / 2;
  // The first threshold above, by halving without a branch: which half is a coin toss each time.
  const double* low = theta.data();
  for (std::size_t left = thresholds; left > 0;) {
    const std::size_t half = (left + 1) / 2;
    low += low[half - 1] <= confidence ? half : 0;
    left -= half;
  }
  return theta[thresholds + static_cast<std::size_t>(low - theta.data())];
}

}  // namespace credence::map
