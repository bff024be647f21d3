#include "credence/finite_scores.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "credence/error.hpp"
#include "unit/io/files.hpp"

namespace credence::io {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using namespace credence::test;

/// A table of two classes with ids, of several blocks: row i holds i and -i.
class FiniteScoresOfAFile : public testing::Test {
 protected:
  static constexpr std::size_t kInFile = 600000;

  FiniteScoresOfAFile() {
    std::string text = "id,a,b\n";
    for (std::size_t i = 0; i < kInFile; ++i) {
      const std::string number = std::to_string(i);
      text += "r" + number + (i == bad_ ? ",nan,-" : "," + number + ",-") + number + "\n";
    }
    dir_.write("scores.csv", text);
  }

  struct Read {
    std::vector<float> firsts;
    std::vector<std::string> ids;
    std::size_t blocks = 0, read = 0;
  };

  Read read(const RowFilter& filter, int threads, std::size_t most_blocks = 1000) const {
    const ScoreFile file{.path = dir_.path("scores.csv")};
    const auto reader = open_scores(file);
    FiniteScores scores(*reader, file, filter, threads);
    EXPECT_EQ(scores.threads(), 1);
    Read all;
    for (FiniteBlock block; all.blocks < most_blocks && scores.next(block); ++all.blocks) {
      for (std::size_t i = 0; i < block.finite.scores.rows(); ++i) {
        all.firsts.push_back(block.finite.scores(i, 0));
      }
      all.ids.insert(all.ids.end(), block.ids.begin(), block.ids.end());
      EXPECT_EQ(block.ids.size(), block.finite.scores.rows());
      all.read = block.read;
    }
    return all;
  }

  static RowFilter only(std::vector<std::size_t> rows) {
    DatasetFiles files;
    files.rows = "rows";
    files.given_rows = std::move(rows);
    return RowFilter(files);
  }

  TempDir dir_;
  std::size_t bad_ = kInFile - 5;
};

TEST_F(FiniteScoresOfAFile, AreThoseThatTheFilterKeepsWhoeverReadsThem) {
  for (const int threads : {1, 2}) {
    // Blocks without a wanted row are passed over, and what is not wanted may be bad.
    const Read some = read(only({7, 299999, 599990}), threads);
    EXPECT_THAT(some.firsts, testing::ElementsAre(7.0f, 299999.0f, 599990.0f));
    EXPECT_THAT(some.ids, testing::ElementsAre("r7", "r299999", "r599990"));
    EXPECT_EQ(some.blocks, 3u);
    EXPECT_EQ(some.read, kInFile);
  }
}

TEST_F(FiniteScoresOfAFile, AreRefusedInALaterBlockAndAtTheEnd) {
  for (const int threads : {1, 2}) {
    const std::string bad = caught([&] { read(RowFilter(), threads); }).text;
    EXPECT_THAT(bad, HasSubstr("row 599995, column 0")) << threads;
    const std::string missing = caught([&] { read(only({7, kInFile}), threads); }).text;
    EXPECT_THAT(missing, HasSubstr("600000")) << threads;
  }
}

TEST_F(FiniteScoresOfAFile, NeedNotBeReadToTheEnd) {
  for (const int threads : {1, 2}) {
    const Read begun = read(RowFilter(), threads, 1);
    EXPECT_EQ(begun.firsts.size(), begun.read);
    EXPECT_LT(begun.read, kInFile);
  }
}

/// Nobody waits for rows of a pipe that are not there yet, and few rows are read at once.
TEST(FiniteScores, AreReadAheadOnlyFromFilesOfSeveralBlocks) {
  const TempDir dir;
  dir.write("few.npy", npy("<f4", "(2, 2)", raw({1.f, 2.f, 3.f, 4.f})));
  const ScoreFile file{.path = dir.path("few.npy")};
  const auto reader = open_scores(file);
  FiniteScores scores(*reader, file, RowFilter(), 2);
  EXPECT_EQ(scores.threads(), 2);
  FiniteBlock block;
  ASSERT_TRUE(scores.next(block));
  EXPECT_EQ(block.finite.scores.rows(), 2u);
  EXPECT_THAT(block.ids, IsEmpty());
  EXPECT_FALSE(scores.next(block));
}

}  // namespace
}  // namespace credence::io
