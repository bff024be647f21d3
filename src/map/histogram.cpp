// Top-label histogram binning. theta = one value per bin; -1 marks a bin no example fell into,
// where the confidence is left alone.
#include "map/histogram.hpp"

#include <algorithm>

#include "core/bins.hpp"

namespace credence::map {

namespace {

/// Of each bin: how many examples, their targets, and the squares of those.
constexpr std::size_t kSumsOfBin = 3;

}  // namespace

std::size_t Math<TopLabelHistogram>::count_sums(const TopLabelHistogram& map) {
  return kSumsOfBin * core::UnitBins(map.bins).count();
}

void Math<TopLabelHistogram>::add(const TopLabelHistogram& map, const TopLabel& example,
                                  double* sums) {
  double* const bin = sums + kSumsOfBin * core::UnitBins(map.bins).index(example.confidence);
  bin[0] += 1.0;
  bin[1] += example.target;
  bin[2] += example.target * example.target;
}

TopLabelFit Math<TopLabelHistogram>::fit(const TopLabelHistogram& map,
                                         const std::vector<double>& sums) {
  std::vector<double> theta(core::UnitBins(map.bins).count(), -1.0);
  double squares = 0.0, examples = 0.0;
  for (std::size_t b = 0; b < theta.size(); ++b) {
    const double* const bin = &sums[kSumsOfBin * b];
    if (bin[0] == 0.0) continue;
    theta[b] = smoothed_mean(bin[1], bin[0], map.step_prior);
    // What a value leaves of squares, least for the mean; rounding must not make it negative.
    squares += std::max(0.0, bin[2] - theta[b] * (2.0 * bin[1] - theta[b] * bin[0]));
    examples += bin[0];
  }
  return {theta, squares / examples};
}

double Math<TopLabelHistogram>::value(const TopLabelHistogram&, Params theta, double confidence) {
  const double value = theta[core::unit_bin(confidence, theta.size())];
  return value < 0.0 ? confidence : value;
}

}  // namespace credence::map
