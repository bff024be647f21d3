#include "figure/text.hpp"

#include <gtest/gtest.h>

#include "figure/svg.hpp"

namespace credence::figure {
namespace {

TEST(FigureText, EscapesWhatXmlReadsAsMarkup) {
  EXPECT_EQ(escaped("<a href='x'>\"&\"</a>"),
            "&lt;a href=&#39;x&#39;&gt;&quot;&amp;&quot;&lt;/a&gt;");
}

TEST(FigureText, ReplacesWhatXmlCannotHold) {
  EXPECT_EQ(escaped("a\x01"
                    "b\nc"),
            "a b c");
  EXPECT_EQ(escaped("\xFF"), "\xEF\xBF\xBD");
  EXPECT_EQ(escaped("\xC3"), "\xEF\xBF\xBD");                          // cut off
  EXPECT_EQ(escaped("\xC0\xAF"), "\xEF\xBF\xBD\xEF\xBF\xBD");          // overlong
  EXPECT_EQ(escaped("\xED\xA0\x80").find("\xED"), std::string::npos);  // a surrogate
}

TEST(FigureText, DropsOverridesOfDirectionButKeepsLetters) {
  EXPECT_EQ(escaped("a\xE2\x80\xAE"
                    "b"),
            "ab");
  EXPECT_EQ(escaped("שלום"), "שלום");
}

TEST(FigureText, CoordinatesHaveTwoDecimalsAndNoNegativeZero) {
  EXPECT_EQ(number(12), "12");
  EXPECT_EQ(number(12.5), "12.5");
  EXPECT_EQ(number(1.0 / 3), "0.33");
  EXPECT_EQ(number(-0.001), "0");
  EXPECT_EQ(number(100), "100");
}

TEST(FigureText, ShortenedTextFitsAndSaysThatItWasShortened) {
  const std::string name(200, 'm');
  const std::string fits = shortened(name, 100, 11);
  EXPECT_LE(text_width(fits, 11), 100);
  EXPECT_TRUE(fits.ends_with("…"));
  EXPECT_EQ(shortened("short", 100, 11), "short");
}

TEST(FigureText, ShorteningNeverCutsALetterInTwo) {
  const std::string family =
      "👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦";
  for (double width = 12; width < 120; width += 1) {
    const std::string cut = shortened(family, width, 11);
    for (std::size_t at = 0; at < cut.size();) {
      const CodePoint point = code_point(cut, at);
      ASSERT_TRUE(point.valid) << width;
      at += point.bytes;
    }
  }
}

TEST(FigureText, WrappedLinesFitAndLoseNoWord) {
  const auto lines = wrapped("gap between confidence and the answers of annotators", 120, 10);
  std::string together;
  for (const std::string& line : lines) {
    EXPECT_LE(text_width(line, 10), 120);
    together += (together.empty() ? "" : " ") + line;
  }
  EXPECT_EQ(together, "gap between confidence and the answers of annotators");
}

TEST(FigureText, CountsAreCompact) {
  EXPECT_EQ(compact_count(0), "0");
  EXPECT_EQ(compact_count(999), "999");
  EXPECT_EQ(compact_count(12500), "12.5k");
  EXPECT_EQ(compact_count(-20000), "-20k");
  EXPECT_EQ(compact_count(3e6), "3M");
}

}  // namespace
}  // namespace credence::figure
