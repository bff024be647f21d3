// The mean of the calibration error against one drawn annotator per example, and its floor.
#include <algorithm>
#include <array>
#include <numbers>

#include "metrics/bins/rows_by_bin.hpp"
#include "metrics/catalogue/definition.hpp"
#include "metrics/numbers/poisson_binomial.hpp"
#include "metrics/numbers/sum.hpp"

namespace credence::metrics {

namespace {

/// E|z + noise| of standard normal noise for z in [0, kEnd): Taylor's series about the nearest of
/// many places, for bootstraps ask for it millions of times. The first term left out is below
/// 2 (z^4 - 6 z^2 + 3) phi(z) / 720 / 64^6 < 1e-13.
class FoldedNormal {
 public:
  static constexpr double kEnd = 6.0;

  FoldedNormal() {
    for (std::size_t i = 0; i < series_.size(); ++i) {
      // The first derivative is erf(z / sqrt 2), the second 2 phi(z).
      const double z = static_cast<double>(i) / kPerUnit;
      const double slope = std::erf(z / std::numbers::sqrt2);
      const double bend = std::sqrt(2.0 / std::numbers::pi) * std::exp(-0.5 * z * z);
      series_[i] = {bend + z * slope,
                    slope,
                    bend / 2.0,
                    -z * bend / 6.0,
                    (z * z - 1.0) * bend / 24.0,
                    (3.0 - z * z) * z * bend / 120.0};
    }
  }
  double operator()(double z) const {
    const auto nearest = static_cast<std::size_t>(z * kPerUnit + 0.5);
    const double d = z - static_cast<double>(nearest) / kPerUnit;
    const auto& s = series_[nearest];
    return s[0] + d * (s[1] + d * (s[2] + d * (s[3] + d * (s[4] + d * s[5]))));
  }

 private:
  static constexpr double kPerUnit = 32.0;
  std::array<std::array<double, 6>, static_cast<std::size_t>(kEnd* kPerUnit) + 1> series_;
};

const FoldedNormal kFoldedNormal;

}  // namespace

void folded(const double* const* sums, std::size_t lanes, double* totals) {
  constexpr std::size_t kBlock = 32;
  double sigma[kBlock], z[kBlock];
  for (std::size_t first = 0; first < lanes; first += kBlock) {
    const double *const gap = sums[0] + first, *const variance = sums[1] + first;
    const std::size_t count = std::min(kBlock, lanes - first);
    // Roots and quotients apart from the table: a processor takes several of them at once.
    for (std::size_t l = 0; l < count; ++l) {
      // Rounding can leave a variance just below 0; without any, z is infinite or not a number.
      sigma[l] = std::sqrt(variance[l] > 1e-12 ? variance[l] : 0.0);
      z[l] = std::abs(gap[l]) / sigma[l];
    }
    for (std::size_t l = 0; l < count; ++l) {
      // Beyond six deviations noise changes the magnitude by less than 1e-10 of one.
      totals[first + l] +=
          z[l] < FoldedNormal::kEnd ? sigma[l] * kFoldedNormal(z[l]) : std::abs(gap[l]);
    }
  }
}

namespace {

/// In each bin the number of drawn annotators who chose the predicted class is a Poisson-binomial
/// sum; its mean distance from the sum of the confidences.
Point ece_true_exact(const Totals& t) {
  double total = 0.0;
  CellByCell chances(t.all.bin_chances);
  for (std::size_t i = 0; i < t.bins.cells.size(); ++i) {
    total += mean_absolute_deviation(t.bins.totals[i].confidence, chances.of(t.bins.cells[i]));
  }
  return {t.mean(total), {}};
}

Point aece_true_exact(const Totals& t) {
  const RowsByBin by_bin(t.rows, t.mass.count, [&](std::size_t i) { return t.mass.of_row[i]; });
  double total = 0.0;
  std::vector<double> chances;
  for (std::size_t b = 0; b < t.mass.count; ++b) {
    Sum confidence;
    chances.clear();
    for (const std::size_t i : by_bin.bin(b)) {
      confidence.add(t.all.confidence[i]);
      chances.push_back(t.all.agreement[i]);
    }
    total += mean_absolute_deviation(confidence.value(), chances);
  }
  return {t.mean(total), {}};
}

double noise(double variance) {
  return std::sqrt(2.0 / std::numbers::pi * std::max(variance, 0.0));
}

}  // namespace

extern const Definition kEceTrueExact{
    .metric = {.name = "ece_true_exact",
               .better = Direction::lower,
               .percent = true,
               .meaning = "mean calibration error against one drawn annotator each, over all draws",
               .definition = "sum_b E|sum_{i in b} (conf - [y = ctop])| / n over y ~ pi",
               .needs = Evidence::distributions,
               .monte_carlo = false,
               .interval = true,
               .why_no_interval = {}},
    .functional = {.of = {Statistic::bin_gap, Statistic::bin_variance, Statistic::none},
                   .term = folded},
    .point = ece_true_exact};

extern const Definition kAeceTrueExact{
    .metric = {.name = "aece_true_exact",
               .better = Direction::lower,
               .percent = true,
               .meaning = "ece_true_exact with equally filled bins",
               .definition = "ece_true_exact over equally filled bins",
               .needs = Evidence::distributions,
               .monte_carlo = false,
               .interval = true,
               .why_no_interval = {}},
    .functional = {.of = {Statistic::mass_gap, Statistic::mass_variance, Statistic::none},
                   .term = folded},
    .point = aece_true_exact,
    .available = rows_are_listed};

extern const Definition kEceFloor{
    .metric = {.name = "ece_floor",
               .better = Direction::neither,
               .percent = true,
               .meaning = "what ece_true_exact would show for a perfectly calibrated model",
               .definition = "sum_b sqrt(2/PI * sum_{i in b} r (1 - r)) / n",
               .needs = Evidence::distributions,
               .monte_carlo = false,
               .interval = true,
               .why_no_interval = {}},
    .functional = {.of = {Statistic::bin_variance, Statistic::none, Statistic::none},
                   .term = each_lane<noise>}};

}  // namespace credence::metrics
