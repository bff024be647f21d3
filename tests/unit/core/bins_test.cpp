#include "core/bins.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace credence::core {
namespace {

TEST(UnitBins, AnEdgeBelongsToTheLowerBinAndItsSuccessorToTheUpper) {
  for (const int count : {1, 2, 3, 7, 10, 15, 49, 100, 1000, 12345}) {
    const UnitBins bins(count);
    for (int b = 1; b < count; ++b) {
      const double edge = static_cast<double>(b) / count;
      ASSERT_EQ(bins.index(edge), static_cast<std::size_t>(b - 1)) << count << " bins, edge " << b;
      ASSERT_EQ(bins.index(std::nextafter(edge, 0.0)), static_cast<std::size_t>(b - 1));
      ASSERT_EQ(bins.index(std::nextafter(edge, 2.0)), static_cast<std::size_t>(b));
    }
  }
}

TEST(UnitBins, TheFirstBinIsClosedAtZeroAndTheLastAtOne) {
  const UnitBins bins(15);
  EXPECT_EQ(bins.index(0.0), 0U);
  EXPECT_EQ(bins.index(-0.0), 0U);
  EXPECT_EQ(bins.index(5e-324), 0U);
  EXPECT_EQ(bins.index(1.0), 14U);
  EXPECT_EQ(bins.index(std::nextafter(1.0, 2.0)), 14U);  // a sum of exponentials can round up
}

TEST(UnitBins, NoValueFallsOutsideTheArray) {
  const UnitBins bins(15);
  EXPECT_EQ(bins.index(-INFINITY), 0U);
  EXPECT_EQ(bins.index(-3.0), 0U);
  EXPECT_EQ(bins.index(NAN), 0U);
  EXPECT_EQ(bins.index(7.0), 14U);
  EXPECT_EQ(bins.index(INFINITY), 14U);
}

TEST(UnitBins, SumsPutEveryRowInItsBinWhateverTheLengthModuloLanes) {
  const UnitBins bins(4);
  for (std::size_t n = 0; n < 13; ++n) {
    std::vector<double> x(n), expected(4, 0.0);
    for (std::size_t i = 0; i < n; ++i) {
      x[i] = static_cast<double>(i % 4) * 0.25 + 0.1;
      expected[i % 4] += static_cast<double>(i);
    }
    EXPECT_EQ(bin_sums(bins, x, [](std::size_t i) { return static_cast<double>(i); }), expected);
  }
}

}  // namespace
}  // namespace credence::core
