#include "core/bins.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "core/bins.hpp"

namespace credence::metrics {
namespace {

TEST(UnitBins, AnEdgeBelongsToTheLowerBinAndItsSuccessorToTheUpper) {
  for (const int count : {1, 2, 3, 7, 10, 15, 49, 100, 1000, 12345}) {
    const core::UnitBins bins(count);
    for (int b = 1; b < count; ++b) {
      const double edge = static_cast<double>(b) / count;
      ASSERT_EQ(bins.index(edge), static_cast<std::size_t>(b - 1)) << count << " bins, edge " << b;
      ASSERT_EQ(bins.index(std::nextafter(edge, 0.0)), static_cast<std::size_t>(b - 1));
      ASSERT_EQ(bins.index(std::nextafter(edge, 2.0)), static_cast<std::size_t>(b));
    }
  }
}

TEST(UnitBins, AgreesWithTheBinsOfTheHistogramMap) {
  for (const std::size_t count : {1U, 3U, 15U, 1000U}) {
    const core::UnitBins bins(static_cast<int>(count));
    for (std::size_t b = 0; b <= 2 * count; ++b) {
      const double x = static_cast<double>(b) / static_cast<double>(2 * count);
      for (const double near : {std::nextafter(x, 0.0), x, std::nextafter(x, 1.0)}) {
        ASSERT_EQ(bins.index(near), core::bin_index(near, count)) << count << " bins, " << near;
      }
    }
  }
}

TEST(UnitBins, TheFirstBinIsClosedAtZeroAndTheLastAtOne) {
  const core::UnitBins bins(15);
  EXPECT_EQ(bins.index(0.0), 0U);
  EXPECT_EQ(bins.index(-0.0), 0U);
  EXPECT_EQ(bins.index(5e-324), 0U);
  EXPECT_EQ(bins.index(1.0), 14U);
  EXPECT_EQ(bins.index(std::nextafter(1.0, 2.0)), 14U);  // a sum of exponentials can round up
}

TEST(UnitBins, NoValueFallsOutsideTheArray) {
  const core::UnitBins bins(15);
  EXPECT_EQ(bins.index(-INFINITY), 0U);
  EXPECT_EQ(bins.index(-3.0), 0U);
  EXPECT_EQ(bins.index(NAN), 0U);
  EXPECT_EQ(bins.index(7.0), 14U);
  EXPECT_EQ(bins.index(INFINITY), 14U);
}

TEST(UnitBins, SumsPutEveryRowInItsBinWhateverTheLengthModuloLanes) {
  const core::UnitBins bins(4);
  for (std::size_t n = 0; n < 13; ++n) {
    std::vector<double> x(n), expected(4, 0.0);
    for (std::size_t i = 0; i < n; ++i) {
      x[i] = static_cast<double>(i % 4) * 0.25 + 0.1;
      expected[i % 4] += static_cast<double>(i);
    }
    EXPECT_EQ(core::bin_sums(bins, x, [](std::size_t i) { return static_cast<double>(i); }), expected);
  }
}

}  // namespace
}  // namespace credence::metrics
