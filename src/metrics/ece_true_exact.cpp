// The mean of the calibration error against one drawn annotator per example, and its floor.
#include <numbers>

#include "metrics/definition.hpp"
#include "metrics/poisson_binomial.hpp"
#include "metrics/rows_by_bin.hpp"

namespace credence::metrics {

double folded(const double* sums) {
  const double gap = sums[0], variance = sums[1];
  // Rounding can leave a variance just below 0.
  if (!(variance > 1e-12)) return std::abs(gap);
  const double sigma = std::sqrt(variance), z = gap / sigma;
  // Beyond six deviations noise changes the magnitude by less than 1e-10 of one.
  if (std::abs(z) > 6.0) return std::abs(gap);
  return sigma * std::sqrt(2.0 / std::numbers::pi) * std::exp(-0.5 * z * z) +
         gap * std::erf(z / std::numbers::sqrt2);
}

namespace {

/// In each bin the number of drawn annotators who chose the predicted class is a Poisson-binomial
/// sum; its mean distance from the sum of the confidences.
template <class BinOf>
Point expected_over_draws(const Scored& s, std::size_t bins, const BinOf& bin_of) {
  const RowsByBin by_bin(s.rows(), bins, bin_of);
  double total = 0.0;
  std::vector<double> chances;
  for (std::size_t b = 0; b < bins; ++b) {
    Sum confidence;
    chances.clear();
    for (const std::size_t i : by_bin.bin(b)) {
      confidence.add(s.confidence[i]);
      chances.push_back(s.agreement[i]);
    }
    if (!chances.empty()) total += mean_absolute_deviation(confidence.value(), chances);
  }
  return {s.mean(total), {}};
}

Point ece_true_exact(const Scored& s) {
  return expected_over_draws(s, s.bins.count(),
                             [&](std::size_t i) { return s.bins.index(s.confidence[i]); });
}

Point aece_true_exact(const Scored& s) {
  return expected_over_draws(s, s.mass_bins, [&](std::size_t i) { return s.mass_bin[i]; });
}

double noise(const double* sums) {
  return std::sqrt(2.0 / std::numbers::pi * std::max(sums[0], 0.0));
}

}  // namespace

const Definition kEceTrueExact{
    .metric = {.name = "ece_true_exact",
               .better = Direction::lower,
               .meaning = "mean calibration error against one drawn annotator each, over all draws",
               .definition = "sum_b E|sum_{i in b} (conf - [y = ctop])| / n over y ~ pi",
               .needs = Evidence::distributions,
               .monte_carlo = false,
               .interval = true,
               .why_no_interval = {}},
    .functional = {.of = {Statistic::bin_gap, Statistic::bin_variance, Statistic::none},
                   .term = folded},
    .point = ece_true_exact};

const Definition kAeceTrueExact{
    .metric = {.name = "aece_true_exact",
               .better = Direction::lower,
               .meaning = "ece_true_exact with equally filled bins",
               .definition = "ece_true_exact over equally filled bins",
               .needs = Evidence::distributions,
               .monte_carlo = false,
               .interval = true,
               .why_no_interval = {}},
    .functional = {.of = {Statistic::mass_gap, Statistic::mass_variance, Statistic::none},
                   .term = folded},
    .point = aece_true_exact};

const Definition kEceFloor{
    .metric = {.name = "ece_floor",
               .better = Direction::neither,
               .meaning = "what ece_true_exact would show for a perfectly calibrated model",
               .definition = "sum_b sqrt(2/PI * sum_{i in b} r (1 - r)) / n",
               .needs = Evidence::distributions,
               .monte_carlo = false,
               .interval = true,
               .why_no_interval = {}},
    .functional = {.of = {Statistic::bin_variance, Statistic::none, Statistic::none},
                   .term = noise}};

}  // namespace credence::metrics
