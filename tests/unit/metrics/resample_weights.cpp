// How often units are drawn in a resample: the multinomial distribution, divided down a tree.
#include "metrics/bootstrap/resample_weights.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace credence::metrics {
namespace {

constexpr std::size_t kBlocks = 128, kResamples = kBlocks * kLanes;

/// Calls use(weights) for every block of resamples.
template <class Use>
void for_each_block(std::size_t units, const Use& use) {
  std::vector<std::uint8_t> weights;
  for (std::size_t block = 0; block < kBlocks; ++block) {
    draw_weights(42, block, units, weights);
    use(weights);
  }
}

TEST(ResampleWeights, EveryResampleDrawsAsManyAsThereAreUnits) {
  for (const std::size_t units : {1, 2, 1023, 1024, 1025, 2048, 5000}) {
    std::vector<std::uint8_t> weights;
    draw_weights(7, 3, units, weights);
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      std::size_t sum = 0;
      for (std::size_t u = 0; u < units; ++u) sum += weights[u * kLanes + lane];
      EXPECT_EQ(sum, units);
    }
  }
}

TEST(ResampleWeights, UnitsAndBlocksVaryAsDrawsWithReplacementDo) {
  constexpr std::size_t kUnits = 3000, kFirst = 1024;
  double squares = 0.0, last = 0.0, sum = 0.0, sum_squares = 0.0;
  for_each_block(kUnits, [&](const std::vector<std::uint8_t>& weights) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      double in_first = 0.0;
      for (std::size_t u = 0; u < kUnits; ++u) {
        const double w = weights[u * kLanes + lane];
        squares += (w - 1.0) * (w - 1.0);
        in_first += u < kFirst ? w : 0.0;
      }
      last += weights[(kUnits - 1) * kLanes + lane];
      sum += in_first;
      sum_squares += in_first * in_first;
    }
  });
  constexpr double kCount = kResamples;
  // A unit is drawn Bin(n, 1/n) times: mean 1, variance 1 - 1/n, whose square deviates by sqrt(3).
  // Five standard errors of the mean over all units and resamples.
  EXPECT_NEAR(squares / (kCount * kUnits), 1.0 - 1.0 / kUnits,
              5.0 * std::sqrt(3.0 / (kCount * kUnits)));
  EXPECT_NEAR(last / kCount, 1.0, 5.0 / std::sqrt(kCount));
  // The first block is drawn from Bin(n, 1024 / n) times.
  const double share = static_cast<double>(kFirst) / kUnits;
  const double variance = kUnits * share * (1.0 - share);
  const double mean = sum / kCount;
  EXPECT_NEAR(mean, kFirst, 5.0 * std::sqrt(variance / kCount));
  EXPECT_NEAR(sum_squares / kCount - mean * mean, variance,
              5.0 * variance * std::sqrt(2.0 / kCount));
}

TEST(ResampleWeights, NeighbouringBlocksOfUnitsShareOneNumberOfDraws) {
  // Of two equal blocks, what one is drawn more often the other is drawn less.
  double product = 0.0;
  for_each_block(2048, [&](const std::vector<std::uint8_t>& weights) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      double left = -1024.0, right = -1024.0;
      for (std::size_t u = 0; u < 1024; ++u) {
        left += weights[u * kLanes + lane];
        right += weights[(1024 + u) * kLanes + lane];
      }
      product += left * right;
    }
  });
  // The covariance is -n/4 = -512; a product of two normal numbers of that size deviates by
  // 512 sqrt(2).
  EXPECT_NEAR(product / kResamples, -512.0, 5.0 * 512.0 * std::sqrt(2.0 / kResamples));
}

}  // namespace
}  // namespace credence::metrics
