#include "io/text/short_decimal.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <string>

#include "core/random.hpp"

namespace credence::io {
namespace {

/// How many characters were read; none where it is left to others.
std::size_t read(const std::string& text, double& value) {
  const char* const stop = read_short_decimal(text.data(), text.data() + text.size(), value);
  return stop == nullptr ? 0 : static_cast<std::size_t>(stop - text.data());
}

TEST(ShortDecimal, IsTheNearestDoubleToTheText) {
  std::size_t found = 0;
  for (std::uint64_t i = 0; i < 200000; ++i) {
    const std::uint64_t bits = core::random_bits(3, i, 0);
    const double x = core::uniform(3, i, 1) * std::pow(10.0, static_cast<double>(bits % 12) - 5.0);
    const std::string text =
        fmt::format("{}{:.{}f}", bits >> 63 != 0 ? "-" : "", x, bits >> 8 & 15);
    double value = 0.0;
    if (read(text, value) == 0) continue;
    ++found;
    const double expected = std::strtod(text.c_str(), nullptr);
    ASSERT_EQ(value, expected) << text;
    ASSERT_EQ(std::signbit(value), std::signbit(expected)) << text;
  }
  EXPECT_GT(found, 100000u);
}

TEST(ShortDecimal, StopsBehindTheNumberAndLeavesOtherFormsAlone) {
  double value = 0.0;
  EXPECT_EQ(read("12.5,3", value), 4u);
  EXPECT_EQ(value, 12.5);
  EXPECT_EQ(read("0]", value), 1u);
  EXPECT_EQ(read("999999999999999", value), 15u);
  EXPECT_EQ(value, 999999999999999.0);
  for (const char* text :
       {"", "-", ".5", "5.", "5.,", "05", "-01.5", "1e5", "1.5E3", "+1", "nan", "x",
        "1234567890123456", "0.1234567890123456", "99999999999999999999999999"}) {
    EXPECT_EQ(read(text, value), 0u) << text;
  }
}

}  // namespace
}  // namespace credence::io
