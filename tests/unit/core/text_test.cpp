#include "credence/text.hpp"

#include <gtest/gtest.h>

namespace credence {
namespace {

TEST(Text, SuggestsTheNameThatIsASlipAway) {
  const std::vector<std::string_view> known{"slts", "dirichlet-soft"};
  EXPECT_EQ(did_you_mean("slst", known), "; did you mean 'slts'?");
  EXPECT_EQ(did_you_mean("dirichlet-sfot", known), "; did you mean 'dirichlet-soft'?");
  EXPECT_EQ(did_you_mean("platt", known), "");
  EXPECT_EQ(did_you_mean("slts", {}), "");
}

TEST(Text, GroupsDigitsByThrees) {
  EXPECT_EQ(grouped_digits(0), "0");
  EXPECT_EQ(grouped_digits(999), "999");
  EXPECT_EQ(grouped_digits(1000), "1,000");
  EXPECT_EQ(grouped_digits(12345678), "12,345,678");
}

TEST(Text, QuotesACellOnlyWhereItHasTo) {
  EXPECT_EQ(csv_quoted("plain text"), "plain text");
  EXPECT_EQ(csv_quoted("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_quoted("say \"hi\""), "\"say \"\"hi\"\"\"");
  EXPECT_EQ(csv_quoted("two\nlines"), "\"two\nlines\"");
}

TEST(Text, ShownNamesCannotSteerATerminal) {
  EXPECT_EQ(printable("Zürich"), "Zürich");
  EXPECT_EQ(printable("\x1b[2Jgone"), "\\x1b[2Jgone");
  EXPECT_EQ(printable("a\nb"), "a\\x0ab");
  EXPECT_EQ(printable("\xff"), "\\xff");
  EXPECT_EQ(printable("\xe2\x80\xae"
                      "txt"),
            "\\u202etxt");  // right-to-left override
}

}  // namespace
}  // namespace credence
