#include "io/bytes/text_lines.hpp"

#include "unit/io/files.hpp"

namespace credence::io {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using namespace credence::test;

std::vector<std::string> lines_of(const std::string& path) {
  TextLines lines(path);
  std::vector<std::string> all;
  for (std::string_view line; lines.next(line);) all.emplace_back(line);
  return all;
}

TEST(TextLines, AnyLineEndAndNoneAtTheEndOfTheFile) {
  const TempDir dir;
  EXPECT_THAT(lines_of(dir.write("a", "one\ntwo\r\n\nlast")),
              ElementsAre("one", "two", "", "last"));
  EXPECT_THAT(lines_of(dir.write("b", "one\n")), ElementsAre("one"));
  EXPECT_THAT(lines_of(dir.write("c", "\n")), ElementsAre(""));
}

TEST(TextLines, ByteOrderMarkIsSkippedAndUtf16IsRefused) {
  const TempDir dir;
  EXPECT_THAT(lines_of(dir.write("a", "\xef\xbb\xbfid,x\n")), ElementsAre("id,x"));
  const auto error = caught([&] { TextLines(dir.write("b", std::string("\xff\xfe\x31\x00", 4))); });
  EXPECT_THAT(error.text, HasSubstr("UTF-16"));
}

TEST(TextLines, LineLongerThanTheBufferArrivesWhole) {
  const TempDir dir;
  const std::string big(3 * kChunk + 17, 'x');
  EXPECT_THAT(lines_of(dir.write("a", "start\n" + big + "\nend\n")),
              ElementsAre("start", big, "end"));
}

TEST(TextLines, LinesAcrossChunksAreNumberedAndComplete) {
  const TempDir dir;
  std::string text;
  for (int i = 0; i < 400000; ++i) text += std::to_string(i) + '\n';
  TextLines lines(dir.write("a.gz", gzip(text)));
  std::string_view line;
  int expected = 0;
  while (lines.next(line)) {
    ASSERT_EQ(line, std::to_string(expected++));
    ASSERT_EQ(lines.number(), static_cast<std::size_t>(expected));
  }
  EXPECT_EQ(expected, 400000);
}

TEST(TextLines, GzipMembersInARowAreOneText) {
  const TempDir dir;
  const std::string padding(700, '\0');
  EXPECT_THAT(lines_of(dir.write("a.gz", gzip("one\ntw") + gzip("o\n") + padding)),
              ElementsAre("one", "two"));
}

TEST(TextLines, DamagedGzipIsRefusedByName) {
  const TempDir dir;
  const std::string whole = gzip("some text that is long enough to be cut\n");
  const auto cut =
      caught([&] { lines_of(dir.write("cut.gz", whole.substr(0, whole.size() - 9))); });
  EXPECT_EQ(cut.code, ErrorCode::format);
  EXPECT_THAT(cut.text, HasSubstr("cut.gz: the gzip stream ends early"));
  std::string wrong_sum = whole;
  wrong_sum[whole.size() - 6] ^= 1;
  const auto sum = caught([&] { lines_of(dir.write("sum.gz", wrong_sum)); });
  EXPECT_THAT(sum.text, HasSubstr("corrupt gzip stream"));
  const auto tail = caught([&] { lines_of(dir.write("tail.gz", whole + "tail")); });
  EXPECT_THAT(tail.text, HasSubstr("after the gzip stream"));
  const auto garbage = caught([&] { lines_of(dir.write("g.gz", "\x1f\x8bgarbage")); });
  EXPECT_EQ(garbage.code, ErrorCode::format);
}

TEST(TextLines, MissingFileDirectoryAndEmptyFileAreErrorsThatNameThePath) {
  const TempDir dir;
  const auto missing = caught([&] { TextLines(dir.path("none.csv")); });
  EXPECT_EQ(missing.code, ErrorCode::io);
  EXPECT_THAT(missing.text, HasSubstr("none.csv: cannot open: No such file"));
  const auto directory = caught([&] { TextLines(dir.path("")); });
  EXPECT_EQ(directory.code, ErrorCode::io);
  EXPECT_THAT(directory.text, HasSubstr("is a directory"));
  const auto empty = caught([&] { TextLines(dir.write("e.csv", "")); });
  EXPECT_EQ(empty.code, ErrorCode::format);
  EXPECT_THAT(empty.text, HasSubstr("e.csv: the file is empty"));
  const auto empty_gzip = caught([&] { TextLines(dir.write("e.csv.gz", gzip(""))); });
  EXPECT_THAT(empty_gzip.text, HasSubstr("the file is empty"));
}

TEST(TextLines, StandardInputReadsLikeAFile) {
  const TempDir dir;
  const Redirect input(STDIN_FILENO, dir.write("a", "x\ny\n"), O_RDONLY);
  TextLines lines("-");
  std::string_view line;
  ASSERT_TRUE(lines.next(line));
  EXPECT_EQ(line, "x");
  EXPECT_EQ(lines.path(), "standard input");
}

TEST(ReadText, ReadsGzipAndRefusesWhatIsTooLong) {
  const TempDir dir;
  EXPECT_EQ(read_text(dir.write("a.gz", gzip("whole\ntext"))), "whole\ntext");
  const std::string path = dir.write("b", std::string(100, 'x'));
  EXPECT_EQ(read_text(path, 100).size(), 100u);
  EXPECT_THAT(caught([&] { read_text(path, 99); }).text, HasSubstr("longer than the 99 bytes"));
}

TEST(Excerpt, ShortensAndShowsControlBytes) {
  EXPECT_EQ(excerpt("cat"), "'cat'");
  EXPECT_EQ(excerpt("a\tb\xff"), "'a\\x09b\\xff'");
  EXPECT_EQ(excerpt("größe"), "'größe'");
  EXPECT_EQ(excerpt(std::string(100, 'x')), "'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...'");
}

}  // namespace
}  // namespace credence::io
