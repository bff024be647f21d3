#include <fmt/core.h>

#include <cfloat>
#include <cmath>

#include "credence/io.hpp"
#include "unit/io/files.hpp"

namespace credence::io {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using namespace credence::test;

TEST(LoadScores, PlainFloat32StaysAsItIsForBothPrecisions) {
  const TempDir dir;
  const std::string path = dir.write("a.npy", npy("<f4", "(2, 2)", raw({1.f, 2.f, 3.f, 4.f})));
  for (const LoadAs precision : {LoadAs::float32, LoadAs::as_stored}) {
    const ScoreTable table = load_scores({.path = path}, precision);
    EXPECT_EQ(table.rows, 2u);
    EXPECT_EQ(table.cols, 2u);
    EXPECT_EQ(table.f64.data(), nullptr);
    EXPECT_THAT(std::vector<float>(table.f32.data(), table.f32.data() + 4),
                ElementsAre(1, 2, 3, 4));
    EXPECT_NE(table.owner, nullptr);
  }
}

TEST(LoadScores, MappedScoresShareThePagesOfTheFile) {
  const TempDir dir;
  watch_inputs();
  const std::string path = dir.write("a.npy", npy("<f4", "(1, 2)", raw({1.f, 2.f})));
  const ScoreTable table = load_scores({.path = path}, LoadAs::float32);
  {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(-4, std::ios::end);
    file.write(raw({5.f}).data(), 4);
  }
  EXPECT_EQ(table.f32(0, 1), 5.f) << "a copy would still hold the old value";
  watch_inputs(false);
}

TEST(LoadScores, Float64AndTextStayDoubleWhenAskedAndAreRoundedOtherwise) {
  const TempDir dir;
  dir.write("a.npy", npy("<f8", "(1, 2)", raw({0.1, 0.9})));
  dir.write("b.npy", npy("<f8", "(1, 2)", raw({0.1, 0.9}), true));
  dir.write("a.csv", "0.1,0.9\n");
  dir.write("a.jsonl", "{\"logits\":[0.1,0.9]}\n");
  for (const auto* name : {"a.npy", "b.npy", "a.csv", "a.jsonl"}) {
    const ScoreTable exact = load_scores({.path = dir.path(name)}, LoadAs::as_stored);
    ASSERT_EQ(exact.f32.data(), nullptr) << name;
    EXPECT_EQ(exact.f64(0, 0), 0.1) << name;
    EXPECT_EQ(exact.f64(0, 1), 0.9) << name;
    const ScoreTable rounded = load_scores({.path = dir.path(name)}, LoadAs::float32);
    ASSERT_EQ(rounded.f64.data(), nullptr) << name;
    EXPECT_EQ(rounded.f32(0, 0), 0.1f) << name;
  }
}

TEST(LoadScores, HalfAndSwappedFloat32NeedNoDouble) {
  const TempDir dir;
  const ScoreTable half = load_scores(
      {.path = dir.write("a.npy", npy("<f2", "(1, 2)", std::string("\x00\x3c\0\0", 4)))},
      LoadAs::as_stored);
  ASSERT_NE(half.f32.data(), nullptr);
  EXPECT_EQ(half.f32(0, 0), 1.f);
}

TEST(LoadScores, OverflowNamesRowColumnAndValueAndSpecialValuesPass) {
  const TempDir dir;
  const auto error = caught([&] {
    load_scores({.path = dir.write("a.npy", npy("<f8", "(2, 2)", raw({1., 2., 3., -1e300})))},
                LoadAs::float32);
  });
  EXPECT_EQ(error.code, ErrorCode::data);
  EXPECT_THAT(error.text, HasSubstr("a.npy: row 1, column 1 (counted from 0): -1e+300"));
  const ScoreTable special =
      load_scores({.path = dir.write("b.csv", "nan,-inf,3.4e38\n")}, LoadAs::float32);
  EXPECT_TRUE(std::isnan(special.f32(0, 0)));
  EXPECT_EQ(special.f32(0, 1), -INFINITY);
  EXPECT_EQ(special.f32(0, 2), 3.4e38f);
}

TEST(LoadScores, IdsAndClassesOfTextComeAlong) {
  const TempDir dir;
  std::string text = "id,cat,dog\n";
  for (int i = 0; i < 3000; ++i) text += fmt::format("x{0},{0},1\n", i);
  const ScoreTable table = load_scores({.path = dir.write("a.csv", text)}, LoadAs::float32);
  ASSERT_EQ(table.rows, 3000u);
  ASSERT_EQ(table.ids.size(), 3000u);
  EXPECT_EQ(table.ids[2999], "x2999");
  EXPECT_EQ(table.f32(2999, 0), 2999.f);
  EXPECT_THAT(table.classes, ElementsAre("cat", "dog"));
}

TEST(LoadScores, NoRowsIsAnError) {
  const TempDir dir;
  EXPECT_THAT(
      caught([&] { load_scores({.path = dir.write("a.csv", "id,a\n")}, LoadAs::float32); }).text,
      HasSubstr("no rows"));
  EXPECT_THAT(
      caught([&] { load_scores({.path = dir.write("a.json", "[]")}, LoadAs::float32); }).text,
      HasSubstr("no rows"));
}

}  // namespace
}  // namespace credence::io
