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

TEST(ResampleWeights, OfSomeBlocksAreThoseOfAll) {
  // 45 blocks and a bit: some nodes of the tree throw every coin, the upper ones do not.
  constexpr std::size_t kUnits = 45 * kUnitsOfBlock + 77, kDrawn = 40;
  std::vector<std::uint8_t> all, part(kUnitsOfBlock * kLanes);
  for (const auto& [first, end] : {std::pair<std::size_t, std::size_t>{0, 1}, {7, 20}, {44, 46}}) {
    const BlockDraws draws(9, kDrawn, kUnits, first, end);
    for (std::size_t resample = 0; resample < kDrawn; resample += kLanes) {
      const std::size_t lanes = std::min(kLanes, kDrawn - resample);
      draw_weights(9, resample / kLanes, kUnits, all);
      for (std::size_t block = first; block < end; ++block) {
        draws.draw(block, resample, lanes, part.data());
        const std::size_t begin = block * kUnitsOfBlock;
        const std::size_t units = std::min(kUnitsOfBlock, kUnits - begin);
        for (std::size_t u = 0; u < units; ++u) {
          for (std::size_t lane = 0; lane < lanes; ++lane) {
            ASSERT_EQ(part[u * kLanes + lane], all[(begin + u) * kLanes + lane]);
          }
        }
      }
    }
  }
}

TEST(ResampleWeights, HalvesOfManyUnitsVaryAsDrawsWithReplacementDo) {
  // 64 blocks, so many draws at the root that only some coins are thrown and scaled; the first 48
  // blocks are three quarters of the units: two such nodes.
  constexpr std::size_t kUnits = 64 * kUnitsOfBlock, kFirst = 48;
  const BlockDraws draws(3, kResamples, kUnits, 0, 64);
  std::vector<std::uint8_t> weights(kUnitsOfBlock * kLanes);
  std::vector<double> in_first(kResamples, 0.0), in_all(kResamples, 0.0);
  for (std::size_t r = 0; r < kResamples; r += kLanes) {
    for (std::size_t block = 0; block < 64; ++block) {
      draws.draw(block, r, kLanes, weights.data());
      for (std::size_t i = 0; i < weights.size(); ++i) {
        in_all[r + i % kLanes] += weights[i];
        in_first[r + i % kLanes] += block < kFirst ? weights[i] : 0.0;
      }
    }
  }
  double mean = 0.0, squares = 0.0, cubes = 0.0, fourths = 0.0;
  constexpr double kCount = kResamples, kMean = 0.75 * kUnits;
  const double deviation = std::sqrt(kUnits * 0.75 * 0.25);
  for (std::size_t r = 0; r < kResamples; ++r) {
    ASSERT_EQ(in_all[r], kUnits);
    const double off = (in_first[r] - kMean) / deviation;
    mean += off / kCount;
    squares += off * off / kCount;
    cubes += off * off * off / kCount;
    fourths += off * off * off * off / kCount;
  }
  // Five standard errors of the moments of normal numbers: 1, 2, 15 and 96 over the count.
  EXPECT_NEAR(mean, 0.0, 5.0 * std::sqrt(1.0 / kCount));
  EXPECT_NEAR(squares, 1.0, 5.0 * std::sqrt(2.0 / kCount));
  EXPECT_NEAR(cubes, 0.0, 5.0 * std::sqrt(15.0 / kCount));
  EXPECT_NEAR(fourths, 3.0, 5.0 * std::sqrt(96.0 / kCount));
}

}  // namespace
}  // namespace credence::metrics
