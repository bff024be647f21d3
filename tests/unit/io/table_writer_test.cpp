#include "io/write/table_writer.hpp"

#include <fmt/core.h>

#include <cmath>

#include "io/npy/npy.hpp"
#include "unit/io/files.hpp"

namespace credence::io {
namespace {

using ::testing::HasSubstr;
using namespace credence::test;

const double kValues[] = {0.1, 0.9, 1.0 / 3.0, 2.0 / 3.0};
const Rows kRows{kValues, 2, 2};

std::string written(const TempDir& dir, const TableOptions& options,
                    const std::vector<std::string>& classes, const std::vector<std::string>& ids) {
  const auto table = create_table(dir.path("out"), options, classes);
  table->write(kRows, ids);
  table->commit();
  return dir.read("out");
}

TEST(TableWriter, CsvHasAHeaderAndTheShortestNumbersThatReadBack) {
  const TempDir dir;
  const TableOptions f32{TableFormat::csv, false}, f64{TableFormat::csv, true};
  EXPECT_EQ(written(dir, f32, {}, {}), "p0,p1\n0.1,0.9\n0.33333334,0.6666667\n");
  EXPECT_EQ(written(dir, f64, {"cat", "dog"}, {"x", "y"}),
            "id,cat,dog\nx,0.1,0.9\ny,0.3333333333333333,0.6666666666666666\n");
}

TEST(TableWriter, CsvQuotesWhatNeedsQuotes) {
  const TempDir dir;
  const std::string text = written(dir, {TableFormat::csv, false}, {"a,b", "#c"}, {"x\"y", " z\n"});
  EXPECT_THAT(text, HasSubstr("id,\"a,b\",\"#c\"\n\"x\"\"y\",0.1,0.9\n\" z\n\","));
}

TEST(TableWriter, JsonLinesCarryIdsEscaped) {
  const TempDir dir;
  EXPECT_EQ(written(dir, {TableFormat::jsonl, false}, {}, {"a\"\\\x01", "é"}),
            "{\"id\":\"a\\\"\\\\\\u0001\",\"probs\":[0.1,0.9]}\n"
            "{\"id\":\"é\",\"probs\":[0.33333334,0.6666667]}\n");
  EXPECT_THAT(written(dir, {TableFormat::jsonl, true}, {"a", "b"}, {}),
              HasSubstr("{\"probs\":[0.1,0.9]}\n{\"probs\":[0.3333333333333333,"));
}

TEST(TableWriter, NpyReadsBackInBothWidthsWithAPatchedHeader) {
  const TempDir dir;
  for (const bool float64 : {false, true}) {
    {
      const auto table = create_table(dir.path("out.npy"), {TableFormat::npy, float64}, {});
      table->write(kRows, {});
      table->write(kRows.block(0, 1), {});
      EXPECT_FALSE(std::filesystem::exists(dir.path("out.npy")));
      table->commit();
    }
    const NpyArray array(dir.path("out.npy"));
    EXPECT_EQ(array.rows(), 3u);
    EXPECT_EQ(array.cols(), 2u);
    EXPECT_EQ(array.header().type, float64 ? NpyType::f64 : NpyType::f32);
    EXPECT_EQ(array.header().data_offset, 128u);
    Matrix<double> back(3, 2);
    array.read_rows(0, back.view());
    const auto stored = [&](double x) { return float64 ? x : static_cast<float>(x); };
    EXPECT_EQ(back(1, 0), stored(1.0 / 3.0));
    EXPECT_EQ(back(2, 1), stored(0.9));
    std::filesystem::remove(dir.path("out.npy"));
  }
}

TEST(TableWriter, StandardOutputGetsTheSameBytesAsAFile) {
  const TempDir dir;
  for (const TableFormat format : {TableFormat::npy, TableFormat::csv, TableFormat::jsonl}) {
    std::filesystem::remove(dir.path("stdout"));
    {
      const Redirect output(STDOUT_FILENO, dir.path("stdout"), O_WRONLY | O_CREAT);
      const auto table = create_table("-", {format, false}, {});
      table->write(kRows, {});
      table->commit();
    }
    EXPECT_EQ(dir.read("stdout"), written(dir, {format, false}, {}, {}));
  }
}

TEST(TableWriter, EverythingWrittenByItReadsBackAsTheSameScores) {
  const TempDir dir;
  Matrix<double> values(3000, 3);
  std::vector<std::string> ids;
  for (std::size_t i = 0; i < 3000; ++i) {
    for (std::size_t k = 0; k < 3; ++k) {
      values(i, k) = std::exp(-0.01 * static_cast<double>(i * (k + 1)));
    }
    ids.push_back(fmt::format("ex,\"{}\"", i));
  }
  for (const auto* name : {"a.csv", "a.jsonl", "a.npy"}) {
    const TableFormat format = name[2] == 'c'   ? TableFormat::csv
                               : name[2] == 'j' ? TableFormat::jsonl
                                                : TableFormat::npy;
    const auto table = create_table(dir.path(name), {format, true}, {"a", "b", "c"});
    table->write(values.view(), ids);
    table->commit();
    const ScoreTable back =
        load_scores({.path = dir.path(name), .kind = ScoreKind::probs}, LoadAs::as_stored);
    ASSERT_EQ(back.rows, 3000u);
    EXPECT_TRUE(std::equal(values.data(), values.data() + 9000, back.f64.data())) << name;
    const bool text = format != TableFormat::npy, csv = format == TableFormat::csv;
    EXPECT_EQ(back.ids, text ? ids : std::vector<std::string>{}) << name;
    EXPECT_EQ(back.classes.size(), csv ? 3u : 0u) << name;
  }
}

TEST(TableWriter, NothingIsLeftWithoutCommit) {
  const TempDir dir;
  for (const TableFormat format : {TableFormat::npy, TableFormat::csv, TableFormat::jsonl}) {
    create_table(dir.path("out"), {format, false}, {})->write(kRows, {});
  }
  EXPECT_EQ(dir.entries(), 0u);
}

TEST(TableWriter, FullDeviceIsAnErrorInEveryFormat) {
  for (const TableFormat format : {TableFormat::npy, TableFormat::csv, TableFormat::jsonl}) {
    const auto table = create_table("/dev/full", {format, false}, {});
    table->write(kRows, {});
    const auto error = caught([&] { table->commit(); });
    EXPECT_EQ(error.code, ErrorCode::io);
    EXPECT_THAT(error.text, HasSubstr("/dev/full: cannot write: No space left on device"));
  }
}

TEST(TableWriter, BlocksMustAgreeInColumnsAndIds) {
  const TempDir dir;
  const auto table = create_table(dir.path("out"), {TableFormat::csv, false}, {});
  table->write(kRows, {"x", "y"});
  EXPECT_EQ(caught([&] { table->write(kRows, {}); }).code, ErrorCode::usage);
  EXPECT_EQ(caught([&] { table->write(kRows, {"x"}); }).code, ErrorCode::usage);
  EXPECT_EQ(caught([&] { table->write({kValues, 1, 4}, {"x"}); }).code, ErrorCode::usage);
  const auto named = create_table(dir.path("out"), {TableFormat::npy, false}, {"a", "b", "c"});
  EXPECT_EQ(caught([&] { named->write(kRows, {}); }).code, ErrorCode::usage);
}

}  // namespace
}  // namespace credence::io
