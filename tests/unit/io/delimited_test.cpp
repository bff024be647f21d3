#include "io/text/delimited.hpp"

#include <cmath>

#include "unit/io/files.hpp"

namespace credence::io {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using namespace credence::test;

using Table = std::vector<std::vector<std::string>>;

Table rows_of(DelimitedTable& table) {
  Table all;
  std::vector<std::string_view> cells;
  while (table.next(cells)) all.emplace_back(cells.begin(), cells.end());
  return all;
}

TEST(Delimited, FirstRowWithTextIsTheHeader) {
  const TempDir dir;
  DelimitedTable named(dir.write("a.csv", "# made by hand\n\nid, p ,q\n7, 1 ,2\n"));
  EXPECT_THAT(named.header(), ElementsAre("id", "p", "q"));
  EXPECT_EQ(named.column("P"), 1u);
  EXPECT_EQ(named.column({"task", "ID"}), 0u);
  EXPECT_EQ(named.column("r"), std::nullopt);
  EXPECT_EQ(rows_of(named), (Table{{"7", "1", "2"}}));
  EXPECT_EQ(named.line(), 4u);

  DelimitedTable plain(dir.write("b.csv", "1,,nan\n2,3,-inf\n"));
  EXPECT_FALSE(plain.has_header());
  EXPECT_EQ(plain.cols(), 3u);
  EXPECT_EQ(rows_of(plain), (Table{{"1", "", "nan"}, {"2", "3", "-inf"}}));
}

TEST(Delimited, QuotesMayHoldDelimitersQuotesAndLineBreaks) {
  const TempDir dir;
  DelimitedTable table(dir.write(
      "a.csv", "id,text\n1,\"a, \"\"b\"\"\"\n2,\"two\r\nlines\"\n3, \"x\" \n4,5\" pipe\n"));
  EXPECT_EQ(rows_of(table),
            (Table{{"1", "a, \"b\""}, {"2", "two\nlines"}, {"3", "x"}, {"4", "5\" pipe"}}));
  EXPECT_EQ(table.line(), 6u);
}

TEST(Delimited, FirstRowOfQuotedNumbersIsGivenBackAlsoAfterAMove) {
  const TempDir dir;
  DelimitedTable table(dir.write("a.csv", "\"1\",2\n3,4\n"));
  DelimitedTable moved(std::move(table));
  EXPECT_EQ(rows_of(moved), (Table{{"1", "2"}, {"3", "4"}}));
}

TEST(Delimited, DelimiterFollowsTheNameOrTheFirstLine) {
  const TempDir dir;
  DelimitedTable tsv(dir.write("a.tsv", "a,b\tc\n"));
  EXPECT_THAT(tsv.header(), ElementsAre("a,b", "c"));
  DelimitedTable zipped(dir.write("a.tsv.gz", gzip("a,b\tc\n")));
  EXPECT_EQ(zipped.cols(), 2u);
  DelimitedTable semicolons(dir.write("b.csv", "\"x,y\";b;c\n"));
  EXPECT_THAT(semicolons.header(), ElementsAre("x,y", "b", "c"));
  DelimitedTable tabs(dir.write("c.csv", "a\tb\n\t\n"));
  EXPECT_EQ(rows_of(tabs), (Table{{"", ""}}));
}

TEST(Delimited, RaggedRowNamesLineAndBothWidths) {
  const TempDir dir;
  DelimitedTable table(dir.write("a.csv", "a,b\n1,2\n\n1,2,3\n"));
  const auto error = caught([&] { rows_of(table); });
  EXPECT_EQ(error.code, ErrorCode::format);
  EXPECT_THAT(error.text, HasSubstr("a.csv:4: 3 cells, but the first row has 2"));
}

TEST(Delimited, BlankLineInAOneColumnTableMayBeAMissingValue) {
  const TempDir dir;
  DelimitedTable trailing(dir.write("a.csv", "label\n\n1\n2\n\n\n"));
  EXPECT_EQ(rows_of(trailing), (Table{{"1"}, {"2"}}));
  DelimitedTable gap(dir.write("b.csv", "label\n1\n\n2\n"));
  EXPECT_THAT(caught([&] { rows_of(gap); }).text, HasSubstr("b.csv:4: a blank line"));
}

TEST(Delimited, QuotesThatDoNotCloseOrAreFollowedByTextAreRefused) {
  const TempDir dir;
  DelimitedTable open(dir.write("a.csv", "a,b\n1,\"x\n2,y\n"));
  EXPECT_THAT(caught([&] { rows_of(open); }).text, HasSubstr("a.csv:2: a quoted cell starts here"));
  DelimitedTable text(dir.write("b.csv", "a,b\n\"x\"y,2\n"));
  EXPECT_THAT(caught([&] { rows_of(text); }).text, HasSubstr("after the closing quote of cell 1"));
}

TEST(Delimited, OnlyBlankLinesIsNoTable) {
  const TempDir dir;
  EXPECT_THAT(caught([&] { DelimitedTable(dir.write("a.csv", "\n \n# x\n")); }).text,
              HasSubstr("a.csv: no rows"));
}

TEST(ParseNumber, ReadsWholeCellsOnly) {
  EXPECT_EQ(parse_number(" 1.5e-3 "), 1.5e-3);
  EXPECT_EQ(parse_number("+2"), 2.0);
  EXPECT_EQ(parse_number("-0"), 0.0);
  EXPECT_EQ(parse_number("-inf"), -INFINITY);
  EXPECT_TRUE(std::isnan(*parse_number("NaN")));
  EXPECT_EQ(parse_number("1e999"), INFINITY);
  // Shortest and longest forms of the same double agree, as correct rounding promises.
  EXPECT_EQ(parse_number("0.1000000000000000055511151231257827"), 0.1);
  for (const auto* text : {"", " ", "1,5", "1.5x", "0x10", "+-1", "++1", "+", "one", "1 2"}) {
    EXPECT_EQ(parse_number(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace credence::io
