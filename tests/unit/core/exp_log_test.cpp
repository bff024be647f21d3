#include "core/exp_log.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace credence::core {
namespace {

// One unit in the last place for each of the two.
constexpr double kTwoUnits = 0x1p-51;

TEST(ExpLog, ExpIsThatOfTheCLibraryButForTheLastDigit) {
  for (double x = -700.0; x <= 0.0; x += 0.37) {
    EXPECT_NEAR(exp_nonpositive(x) / std::exp(x), 1.0, kTwoUnits) << x;
  }
  EXPECT_EQ(exp_nonpositive(0.0), 1.0);
}

TEST(ExpLog, LogIsThatOfTheCLibraryButForTheLastDigit) {
  for (double x = 1e-300; x < 1e300; x *= 1.7) {
    EXPECT_NEAR(log_positive(x) / std::log(x), 1.0, kTwoUnits) << x;
  }
  EXPECT_EQ(log_positive(1.0), 0.0);
}

// Where softplus is flat, its argument is known from its value only to about 1 / value units.
TEST(ExpLog, InverseSoftplusUndoesSoftplus) {
  for (double x = 0.01; x < 1000.0; x *= 1.3) {
    const double a = inverse_softplus(x);
    const double softplus = std::max(a, 0.0) + std::log1p(std::exp(-std::abs(a)));
    EXPECT_NEAR(softplus / x, 1.0, 1e-13) << x;
  }
}

}  // namespace
}  // namespace credence::core
