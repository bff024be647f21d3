#include "figure/scale.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "figure/axes.hpp"

namespace credence::figure {
namespace {

TEST(FigureScale, IsMonotoneAndStaysBetweenItsEnds) {
  for (const Scale& scale :
       {Scale::linear(-2, 5, 300, 10), Scale::logarithmic(0.5, 4000, 300, 10)}) {
    double before = 301;
    for (int i = 0; i <= 1000; ++i) {
      const double pixel = scale(scale.from() + (scale.to() - scale.from()) * i / 1000.0);
      EXPECT_LT(pixel, before);
      before = pixel;
    }
    EXPECT_DOUBLE_EQ(scale(scale.from() - 1), 300);
    EXPECT_DOUBLE_EQ(scale(scale.to() * 10), 10);
  }
}

TEST(FigureScale, AValueWithoutRangeHasAPlace) {
  EXPECT_TRUE(std::isfinite(Scale::linear(3, 3, 0, 100)(3)));
}

TEST(FigureScale, TicksAreRoundAndFew) {
  const auto ticks = round_ticks(0, 1, 5, true);
  ASSERT_EQ(ticks.size(), 6U);
  EXPECT_EQ(ticks[0].label, "0");
  EXPECT_EQ(ticks[1].label, "20");
  EXPECT_EQ(ticks[5].label, "100");
  EXPECT_DOUBLE_EQ(ticks[1].value, 0.2);
  EXPECT_EQ(round_ticks(-0.1, 0.1, 4)[0].label, "-0.10");
  EXPECT_EQ(round_ticks(0, 50000, 5)[1].label, "10k");
}

TEST(FigureScale, RoundEndsLieOnTicks) {
  for (double from = -3; from < 3; from += 0.37) {
    for (double width = 1e-4; width < 1e5; width *= 3.1) {
      const Ends ends = round_ends(from, from + width, 5);
      EXPECT_LE(ends.from, from + 1e-6 * width);
      EXPECT_GE(ends.to, from + width * (1 - 1e-6));
      const auto ticks = round_ticks(ends.from, ends.to, 5);
      ASSERT_GE(ticks.size(), 3U);
      EXPECT_LE(ticks.size(), 9U);
      EXPECT_NEAR(ticks.front().value, ends.from, 1e-6 * width);
      EXPECT_NEAR(ticks.back().value, ends.to, 1e-6 * width);
    }
  }
}

TEST(FigureScale, RangesAtTheEndsOfFloat64HaveTwoTicks) {
  // Powers of ten beyond them took seconds to count up to, or never ended.
  for (const Ends ends : {Ends{0.0, 1e308}, Ends{-1e308, 1e308}, Ends{0.0, 1e-310}}) {
    const Ends round = round_ends(ends.from, ends.to, 5);
    EXPECT_EQ(round.from, ends.from);
    EXPECT_EQ(round.to, ends.to);
    for (const bool percent : {false, true}) {
      EXPECT_EQ(round_ticks(ends.from, ends.to, 5, percent).size(), 2U);
    }
  }
}

TEST(FigureScale, LogTicksArePowersOfTen) {
  const auto ticks = log_ticks(1, 25000);
  ASSERT_EQ(ticks.size(), 5U);
  EXPECT_EQ(ticks[4].label, "10k");
  EXPECT_GE(log_ticks(20, 90).size(), 2U);
}

TEST(FigureLabels, SpreadKeepsOrderAndDistance) {
  std::vector<EndLabel> labels;
  for (const double y : {50.0, 51.0, 52.0, 10.0, 199.0, 200.0}) {
    labels.push_back({"", {0, y}, series(0)});
  }
  spread(labels, 0, 200, 15);
  for (std::size_t i = 1; i < labels.size(); ++i) {
    EXPECT_LE(labels[i - 1].end.y, labels[i].end.y);
    EXPECT_GE(labels[i].placed - labels[i - 1].placed, 15 - 1e-9);
  }
  EXPECT_GE(labels.front().placed, 0);
  EXPECT_LE(labels.back().placed, 200);
  EXPECT_DOUBLE_EQ(labels.front().placed, 10) << "one that has room stays where its line ends";
}

}  // namespace
}  // namespace credence::figure
