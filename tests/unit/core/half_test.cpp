#include "core/half.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace credence::core {
namespace {

TEST(Half, EveryNumberComesBackAsItWas) {
  for (unsigned bits = 0; bits < 0x10000u; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    const auto value = static_cast<float>(from_half(half));
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(from_half(to_half(value))));
    } else {
      ASSERT_EQ(to_half(value), half) << value;
    }
  }
}

TEST(Half, RoundsToTheNearestAndTiesToEven) {
  EXPECT_EQ(from_half(to_half(1.0f + 0x1p-11f)), 1.0f);                // a tie: even is below
  EXPECT_EQ(from_half(to_half(1.0f + 3 * 0x1p-11f)), 1.0f + 0x1p-9f);  // a tie: even is above
  EXPECT_EQ(from_half(to_half(1.0f + 0x1.1p-11f)), 1.0f + 0x1p-10f);
  EXPECT_EQ(from_half(to_half(0x1p-25f)), 0.0f);
  EXPECT_EQ(from_half(to_half(0x1.8p-24f)), 0x1p-23f);
  EXPECT_EQ(from_half(to_half(65519.0f)), 65504.0f);
  EXPECT_EQ(from_half(to_half(65520.0f)), std::numeric_limits<float>::infinity());
  EXPECT_EQ(from_half(to_half(-1e-30f)), 0.0f);
}

}  // namespace
}  // namespace credence::core
