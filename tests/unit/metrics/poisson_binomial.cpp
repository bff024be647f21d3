#include "metrics/numbers/poisson_binomial.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

#include "core/random.hpp"

namespace credence::metrics {
namespace {

/// Every one of the 2^n outcomes, weighed by its probability.
double by_enumeration(double total, const std::vector<double>& chances) {
  double result = 0.0;
  for (std::size_t outcome = 0; outcome < std::size_t{1} << chances.size(); ++outcome) {
    double probability = 1.0, heads = 0.0;
    for (std::size_t i = 0; i < chances.size(); ++i) {
      const bool head = (outcome >> i & 1) != 0;
      probability *= head ? chances[i] : 1.0 - chances[i];
      heads += head;
    }
    result += probability * std::abs(total - heads);
  }
  return result;
}

/// E|X - total| of a binomial by its probabilities from log-gamma: another route than convolution.
double binomial_deviation(double total, int n, double r) {
  double result = 0.0;
  for (int k = 0; k <= n; ++k) {
    const double log_p = std::lgamma(n + 1.0) - std::lgamma(k + 1.0) - std::lgamma(n - k + 1.0) +
                         k * std::log(r) + (n - k) * std::log1p(-r);
    result += std::exp(log_p) * std::abs(total - k);
  }
  return result;
}

TEST(PoissonBinomial, AgreesWithEnumerationOfAllOutcomes) {
  for (std::uint64_t trial = 0; trial < 40; ++trial) {
    std::vector<double> chances(trial % 13);
    for (std::size_t i = 0; i < chances.size(); ++i) {
      const double u = core::uniform(1, trial, i);
      chances[i] = u < 0.2 ? 0.0 : u > 0.8 ? 1.0 : core::uniform(2, trial, i);
    }
    const double total = core::uniform(3, trial, 0) * 13.0;
    // 2^12 products of 12 factors: rounding stays far below 1e-13.
    EXPECT_NEAR(exact_deviation(total, chances), by_enumeration(total, chances), 1e-13);
  }
}

TEST(PoissonBinomial, CountedChancesAreTheSameFlips) {
  for (const std::uint64_t times : {1u, 50u, 20000u}) {
    const std::vector<Chance> counted{{7, 0.2, 2 * times}, {7, 1.0 / 3.0, times}, {7, 0.8, times}};
    std::vector<double> each;
    for (const Chance& some : counted) each.insert(each.end(), some.count, some.chance);
    const double total = 0.4 * static_cast<double>(each.size());
    const double told = mean_absolute_deviation(total, counted);
    // Beyond the exact flips, sums of products are rounded elsewhere: an ulp or two of 30,000.
    EXPECT_NEAR(told / mean_absolute_deviation(total, each), 1.0, times > 10000 ? 1e-12 : 0.0);
  }
}

TEST(PoissonBinomial, CertainFlipsHaveNoNoise) {
  std::vector<double> chances{1, 0, 1, 1, 0};
  EXPECT_EQ(mean_absolute_deviation(2.25, chances), 0.75);
  EXPECT_EQ(mean_absolute_deviation(3.0, chances), 0.0);
}

TEST(PoissonBinomial, LargeBinsAgreeWithTheBinomialDistribution) {
  for (const double r : {0.01, 0.5, 0.97}) {
    const int n = 10000;
    const std::vector<double> chances(n, r);
    for (const double total : {n * r, n * r + 20.0, n * r - 60.5}) {
      // log-gamma at 1e4 carries absolute errors near 1e-11, which pass on as relative errors.
      EXPECT_NEAR(exact_deviation(total, chances) / binomial_deviation(total, n, r), 1.0, 1e-9);
    }
  }
}

TEST(PoissonBinomial, NarrowWindowForgetsNothingThatCouldBeSeen) {
  // E(X - total) = mean - total needs the whole distribution; far to one side it equals E|X -
  // total|.
  std::vector<double> chances(30000);
  double mean = 0.0;
  for (std::size_t i = 0; i < chances.size(); ++i) {
    mean += chances[i] = core::uniform(5, 0, i);
  }
  // 30,000 convolutions each round by at most 1 ulp: 30000 * 1.1e-16 = 3.3e-12 relative.
  EXPECT_NEAR(exact_deviation(0.0, chances) / mean, 1.0, 4e-12);
}

TEST(PoissonBinomial, ExactAndNormalAgreeWhereOneTakesOver) {
  // Of the fifth power of 1 / sigma and above, with coefficients below 0.1 up to six deviations:
  // 1e-9 at a variance of 1,000 and 1e-6 at 25.
  for (const auto& [variance, tolerance] :
       {std::pair(kExactVariance, 1e-9), std::pair(100.0, 1e-7), std::pair(25.0, 2e-6)}) {
    for (const double r : {0.5, 0.9, 0.97, 0.1}) {
      const auto flips = static_cast<std::size_t>(variance / (r * (1.0 - r))) + 1;
      std::vector<double> chances(flips, r);
      // Not all the same.
      for (std::size_t i = 0; i < chances.size(); i += 3) chances[i] += 0.02;
      double mean = 0.0, sigma = 0.0;
      for (const double chance : chances) {
        mean += chance;
        sigma += chance * (1.0 - chance);
      }
      sigma = std::sqrt(sigma);
      for (const double z : {0.0, 0.3, -0.7, 1.5, -2.5, 4.0, -6.0}) {
        const double total = mean + z * sigma;
        EXPECT_NEAR(exact_deviation(total, chances), normal_deviation(total, chances),
                    tolerance * sigma)
            << variance << " " << r << " " << z;
      }
    }
  }
}

TEST(PoissonBinomial, BinsAboveEitherLimitUseTheNormalLaw) {
  const auto is_normal = [](std::vector<double> chances) {
    const double total = 0.3 + static_cast<double>(chances.size()) * chances.front();
    const double exact = exact_deviation(total, chances), normal = normal_deviation(total, chances);
    EXPECT_NE(exact, normal);
    const double chosen = mean_absolute_deviation(total, chances);
    EXPECT_TRUE(chosen == exact || chosen == normal);
    return chosen == normal;
  };
  EXPECT_TRUE(is_normal(std::vector<double>(kExactFlips + 1, 0.0005)));
  EXPECT_FALSE(is_normal(std::vector<double>(kExactFlips, 0.0005)));
  EXPECT_TRUE(is_normal(std::vector<double>(4001, 0.5)));
  EXPECT_FALSE(is_normal(std::vector<double>(4000, 0.5)));
}

TEST(PoissonBinomial, TheFoldedNormalOfNoVarianceIsTheGap) {
  const std::vector<double> chances(kExactFlips + 1, 1.0);
  EXPECT_EQ(normal_deviation(65530.0, chances), 7.0);
}

}  // namespace
}  // namespace credence::metrics
