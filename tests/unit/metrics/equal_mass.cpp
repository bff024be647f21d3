#include "metrics/bins/equal_mass.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/random.hpp"

namespace credence::metrics {
namespace {

using Pairs = std::vector<std::pair<double, double>>;

Pairs values(std::initializer_list<double> list) {
  Pairs pairs;
  for (const double x : list) pairs.emplace_back(x, 0.0);
  return pairs;
}

std::vector<std::size_t> sizes(const Pairs& sorted, int bins) {
  std::vector<std::size_t> result;
  for (const MassBin& bin : equal_mass_bins(sorted, bins)) result.push_back(bin.last - bin.first);
  return result;
}

TEST(EqualMass, DistinctValuesFillBinsWithinOneOfEachOther) {
  for (std::size_t n : {1U, 14U, 15U, 16U, 29U, 100U, 1541U}) {
    Pairs pairs;
    for (std::size_t i = 0; i < n; ++i) pairs.emplace_back(static_cast<double>(i), 0.0);
    const auto found = sizes(pairs, 15);
    EXPECT_EQ(found.size(), std::min<std::size_t>(n, 15));
    const auto [low, high] = std::minmax_element(found.begin(), found.end());
    EXPECT_LE(*high - *low, 1U) << n;
  }
}

TEST(EqualMass, EqualValuesAreNeverSplit) {
  using Sizes = std::vector<std::size_t>;
  EXPECT_EQ(sizes(values({1, 1, 1, 1, 1, 1}), 3), (Sizes{6}));
  // Ideal cuts at 2 and 4; the run of three 2s straddles the first and starts below it.
  EXPECT_EQ(sizes(values({1, 2, 2, 2, 3, 4}), 3), (Sizes{4, 2}));
  EXPECT_EQ(sizes(values({1, 2, 3, 3, 3, 4}), 3), (Sizes{2, 3, 1}));
}

TEST(EqualMass, BinsCoverEveryRowOnceInOrder) {
  for (std::uint64_t trial = 0; trial < 50; ++trial) {
    Pairs pairs;
    for (std::size_t i = 0; i < 40; ++i) {
      pairs.emplace_back(std::floor(core::uniform(7, trial, i) * 12.0), 0.0);
    }
    std::sort(pairs.begin(), pairs.end());
    std::size_t expected = 0;
    for (const MassBin& bin : equal_mass_bins(pairs, 6)) {
      EXPECT_EQ(bin.first, expected);
      EXPECT_LT(bin.first, bin.last);
      if (bin.first > 0) {
        EXPECT_LT(pairs[bin.first - 1].first, pairs[bin.first].first);
      }
      expected = bin.last;
    }
    EXPECT_EQ(expected, pairs.size());
  }
}

TEST(EqualMass, GivingEveryRowTwiceDoublesEveryBin) {
  Pairs once, twice;
  for (std::size_t i = 0; i < 37; ++i) {
    const double x = std::floor(core::uniform(9, 0, i) * 20.0);
    once.emplace_back(x, 0.0);
    twice.emplace_back(x, 0.0);
    twice.emplace_back(x, 0.0);
  }
  std::sort(once.begin(), once.end());
  std::sort(twice.begin(), twice.end());
  auto expected = sizes(once, 15);
  for (std::size_t& size : expected) size *= 2;
  EXPECT_EQ(sizes(twice, 15), expected);
}

}  // namespace
}  // namespace credence::metrics
