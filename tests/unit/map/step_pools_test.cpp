#include "map/step_pools.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace credence::map {
namespace {

Pool pool_of(const std::vector<double>& targets) {
  Pool pool{0.5, 0.5, targets.size(), 0};
  for (const double target : targets) pool.sum += whole_target(target);
  return pool;
}

/// m of 3, 5, 7 and 35 votes are no doubles, and neither are their sums.
TEST(MeanOfAPool, IsTheNearestNumberToTheFractionOfTheVotes) {
  EXPECT_EQ(mean_of(pool_of({2.0 / 3.0, 0.0})), 1.0 / 3.0);
  EXPECT_EQ(mean_of(pool_of({0.2, 0.4, 0.6, 0.8, 1.0, 0.6, 0.0})), 18.0 / 35.0);
  EXPECT_EQ(mean_of(pool_of({1.0 / 3.0, 1.0 / 5.0, 1.0 / 7.0})), 71.0 / 315.0);
  EXPECT_EQ(mean_of(pool_of(std::vector<double>(1000001, 0.3))), 0.3);
  EXPECT_EQ(mean_of(pool_of({0.0, 0.0})), 0.0);
  EXPECT_EQ(mean_of(pool_of({1.0, 1.0})), 1.0);
}

/// Of numbers that are no such fractions it is the mean, but for the last digit.
TEST(MeanOfAPool, IsTheMeanOfAnyNumbers) {
  double sum = 0.0;
  std::vector<double> targets;
  for (int i = 1; i <= 500; ++i) {
    targets.push_back(std::abs(std::sin(static_cast<double>(i))));
    sum += targets.back();
    EXPECT_NEAR(mean_of(pool_of(targets)), sum / static_cast<double>(i), 1e-13);  // sum of 500
    EXPECT_NEAR(mean_of(pool_of({targets.back()})), targets.back(), 2e-16);
  }
}

/// A step begins where the mean rises, not where it stays.
TEST(Pools, OfEqualMeansAreJoined) {
  std::vector<Pool> kept;
  for (const double target : {0.25, 0.25, 0.5, 0.25, 0.375}) push_pool(kept, pool_of({target}));
  ASSERT_EQ(kept.size(), 2U);
  EXPECT_EQ(kept[0].weight, 2U);
  EXPECT_EQ(mean_of(kept[1]), 0.375);
}

}  // namespace
}  // namespace credence::map
