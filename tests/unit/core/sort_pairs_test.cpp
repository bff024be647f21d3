#include "core/sort_pairs.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/random.hpp"

namespace credence::core {
namespace {

using Pairs = std::vector<std::pair<double, double>>;

void expect_sorted_as_by_the_library(Pairs pairs) {
  Pairs wanted = pairs;
  std::sort(wanted.begin(), wanted.end());
  sort_pairs(pairs);
  EXPECT_EQ(pairs, wanted);
}

/// Few rows and many; all different, few different ones, and numbers that differ in their last bit.
TEST(SortPairs, OrdersLikeTheStandardLibrary) {
  for (const std::size_t count : {0u, 1u, 100u, 20000u}) {
    Pairs spread, few, near;
    for (std::size_t i = 0; i < count; ++i) {
      const double a = uniform(1, i, 0), b = uniform(1, i, 1);
      spread.emplace_back(std::tan(3.0 * (a - 0.5)), 1e-300 * (b - 0.5));
      few.emplace_back(std::floor(5.0 * a), std::floor(50.0 * b) - 25.0);
      near.emplace_back(a < 0.5 ? 1.0 : std::nextafter(1.0, 2.0), b < 0.5 ? 0.1 : 0.1 + 0x1p-56);
    }
    for (const Pairs& pairs : {spread, few, near}) expect_sorted_as_by_the_library(pairs);
  }
}

TEST(SortPairs, TakesTheTwoZerosForEqualAndInfinitiesForTheEnds) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  Pairs pairs;
  for (std::size_t i = 0; i < 9000; ++i) {
    constexpr double kFirst[] = {0.0, -0.0, kInfinity, -kInfinity, 1.0};
    pairs.emplace_back(kFirst[i % 5], static_cast<double>(i * 7919 % 9001));
  }
  expect_sorted_as_by_the_library(pairs);
}

}  // namespace
}  // namespace credence::core
