// Contrast by the definition of WCAG 2: 4.5:1 for text, 3:1 for marks.
#include "figure/palette.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace credence::figure {
namespace {

double luminance(std::string_view colour) {
  double parts[3];
  for (std::size_t i = 0; i < 3; ++i) {
    const double v = std::stoi(std::string(colour.substr(1 + 2 * i, 2)), nullptr, 16) / 255.0;
    parts[i] = v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
  }
  return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
}

double contrast(std::string_view a, std::string_view b) {
  const double x = luminance(a), y = luminance(b);
  return (std::max(x, y) + 0.05) / (std::min(x, y) + 0.05);
}

const Colour& colour(std::string_view role) {
  return *std::find_if(kPalette.begin(), kPalette.end(),
                       [&](const Colour& c) { return c.role == role; });
}

void expect_contrast(std::string_view of, std::string_view on, double least) {
  EXPECT_GE(contrast(colour(of).light, colour(on).light), least) << of << " on " << on << ", light";
  EXPECT_GE(contrast(colour(of).dark, colour(on).dark), least) << of << " on " << on << ", dark";
}

TEST(Palette, TextIsReadableOnPaper) {
  expect_contrast("ink", "paper", 4.5);
  expect_contrast("muted", "paper", 4.5);
}

TEST(Palette, TextIsReadableOnEveryShade) {
  for (std::size_t s = 0; s < kShades; ++s) {
    expect_contrast(s < kFirstStrongShade ? "ink" : "paper", "shade" + std::to_string(s), 4.5);
  }
}

TEST(Palette, MarksStandOutFromPaper) {
  for (const std::string_view role : {"axis", "count", "over", "under", "best"}) {
    expect_contrast(role, "paper", 3.0);
  }
  for (std::size_t i = 1; i <= kSeries; ++i) {
    expect_contrast("series" + std::to_string(i), "paper", 3.0);
  }
}

TEST(Palette, NotesAreReadableOnBars) { expect_contrast("muted", "bar", 4.5); }

TEST(Palette, ShadesGrowSteadilyAwayFromThePaper) {
  for (std::size_t s = 1; s < kShades; ++s) {
    const Colour& before = colour("shade" + std::to_string(s - 1));
    const Colour& after = colour("shade" + std::to_string(s));
    EXPECT_LT(luminance(after.light), luminance(before.light)) << s;
    EXPECT_GT(luminance(after.dark), luminance(before.dark)) << s;
  }
}

TEST(Palette, AFileNamesColoursAndNoVariables) {
  const std::string style = file_style();
  EXPECT_EQ(style.find("var("), std::string::npos);
  EXPECT_EQ(style.find("{ink}"), std::string::npos);
  EXPECT_NE(style.find("prefers-color-scheme:dark"), std::string::npos);
}

}  // namespace
}  // namespace credence::figure
