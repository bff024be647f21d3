#include "credence/memory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "credence/io.hpp"
#include "credence/row_files.hpp"
#include "dataset/score_trace.hpp"
#include "errors.hpp"
#include "synthetic.hpp"
#include "unit/io/files.hpp"

namespace credence::io {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using namespace credence::test;

template <class T>
NumberArray array_of(const std::vector<T>& values, NumberType type, std::size_t cols) {
  NumberArray array{.type = type, .data = reinterpret_cast<const std::byte*>(values.data())};
  array.rows = values.size() / cols;
  array.cols = cols;
  array.row_stride = static_cast<std::ptrdiff_t>(cols * sizeof(T));
  array.column_stride = sizeof(T);
  return array;
}

std::shared_ptr<const Given> given(const NumberArray& array, std::vector<std::string> ids = {}) {
  return std::make_shared<Given>(Given{.array = array, .table = nullptr, .ids = std::move(ids)});
}

std::vector<double> all_of(const NumberArray& array) {
  Matrix<double> out(array.rows, array.cols);
  array.read_rows(0, out.view());
  return {out.data(), out.data() + array.rows * array.cols};
}

TEST(NumberArray, StridesOfAnySignAreFollowed) {
  const std::vector<float> values{1, 2, 3, 4, 5, 6};
  NumberArray array = array_of(values, NumberType::f32, 3);
  EXPECT_TRUE(array.is_plain(NumberType::f32));
  EXPECT_THAT(all_of(array), ElementsAre(1, 2, 3, 4, 5, 6));

  NumberArray turned = array;  // the transpose
  std::swap(turned.rows, turned.cols);
  std::swap(turned.row_stride, turned.column_stride);
  EXPECT_FALSE(turned.is_plain(NumberType::f32));
  EXPECT_THAT(all_of(turned), ElementsAre(1, 4, 2, 5, 3, 6));

  NumberArray upside_down = array;
  upside_down.data += array.row_stride;
  upside_down.row_stride = -array.row_stride;
  EXPECT_THAT(all_of(upside_down), ElementsAre(4, 5, 6, 1, 2, 3));

  NumberArray repeated = array;  // one row seen twice
  repeated.row_stride = 0;
  EXPECT_FALSE(repeated.is_plain(NumberType::f32));
  EXPECT_THAT(all_of(repeated), ElementsAre(1, 2, 3, 1, 2, 3));
  NumberArray constant = repeated;
  constant.column_stride = 0;
  EXPECT_THAT(all_of(constant), ElementsAre(1, 1, 1, 1, 1, 1));
}

TEST(NumberArray, Bfloat16IsTheUpperHalfOfAFloat) {
  const std::vector<std::uint16_t> bits{0x3f80, 0xc040};
  EXPECT_THAT(all_of(array_of(bits, NumberType::bf16, 2)), ElementsAre(1.0, -3.0));
}

TEST(GivenScores, PlainFloat32IsUsedWhereItIs) {
  const std::vector<float> values{1, 2, 3, 4};
  const ScoreTable table = load_scores(
      {.path = "scores", .given = given(array_of(values, NumberType::f32, 2))}, LoadAs::float32);
  EXPECT_EQ(table.f32.data(), values.data());
}

TEST(GivenScores, Float64TooLargeForFloat32IsAnError) {
  const std::vector<double> values{1, 1e300};
  const Error error = error_of([&] {
    load_scores({.path = "scores", .given = given(array_of(values, NumberType::f64, 2))},
                LoadAs::float32);
  });
  EXPECT_THAT(error.what(), HasSubstr("scores: row 0, column 1"));
}

TEST(GivenScores, AnotherNumberOfIdsThanRowsIsAnError) {
  const std::vector<float> values{1, 2, 3, 4};
  const Error error = error_of([&] {
    load_scores({.path = "scores", .given = given(array_of(values, NumberType::f32, 2), {"a"})},
                LoadAs::float32);
  });
  EXPECT_THAT(error.what(), HasSubstr("1 ids for the 2 rows of scores"));
}

/// Long table in memory: ids as numbers, labels as text with a gap.
DatasetFiles long_table(const std::vector<float>& scores, const std::vector<std::int64_t>& tasks,
                        std::vector<std::optional<std::string>> labels) {
  auto table = std::make_shared<ColumnTable>();
  NumberArray column = array_of(tasks, NumberType::i64, 1);
  column.is_vector = true;
  table->add("task", column);
  table->add("label", std::move(labels));
  auto votes = std::make_shared<Given>();
  votes->table = std::move(table);
  DatasetFiles files;
  files.scores.path = "scores";
  files.scores.given = given(array_of(scores, NumberType::f32, 2));
  files.votes = "votes";
  files.given_votes = std::move(votes);
  files.score_classes = {"cat", "dog"};
  return files;
}

TEST(GivenVotes, TablesAreRecognisedByTheRulesForFiles) {
  const std::vector<float> scores{1, 2, 3, 4};
  const std::vector<std::int64_t> tasks{1, 0, 1};
  const LoadedDataset loaded = load_dataset(long_table(scores, tasks, {"dog", "cat", "cat"}));
  EXPECT_THAT(loaded.join.votes_form, HasSubstr("long table (task, label)"));
  EXPECT_EQ(loaded.data.votes.share(0, 0), 1.0);
  EXPECT_EQ(loaded.data.votes.share(1, 0), 0.5);
}

TEST(GivenVotes, MessagesNameRowsAndNotLines) {
  const std::vector<float> scores{1, 2, 3, 4};
  const std::vector<std::int64_t> tasks{1, 0, 1};
  const Error blank = error_of([&] {
    load_dataset(long_table(scores, tasks, {"dog", std::nullopt, "cat"}));
  });
  EXPECT_STREQ(blank.what(), "votes: row 1: blank label ('label')");
  const Error unknown = error_of([&] {
    load_dataset(long_table(scores, tasks, {"dog", "cat", "lynx"}));
  });
  EXPECT_THAT(unknown.what(), HasSubstr("votes: row 2: label"));
}

TEST(ColumnTable, ColumnsOfAnotherLengthAreRefused) {
  ColumnTable table;
  table.add("a", {{"x"}, {"y"}});
  EXPECT_THAT(error_of([&] { table.add("b", {{"x"}}); }).what(), HasSubstr("'b' has 1 rows"));
}

TEST(GivenRows, ListsInMemoryFilterAsFilesDo) {
  const std::vector<float> scores{1, 2, 3, 4, 5, 6};
  const std::vector<std::int64_t> tasks{0, 1, 2};
  DatasetFiles files = long_table(scores, tasks, {"dog", "cat", "cat"});
  files.skip_rows = "skip_rows";
  files.given_skip_rows = std::vector<std::size_t>{1};
  EXPECT_EQ(load_dataset(files).data.rows(), 2u);
  files.given_skip_rows = std::vector<std::size_t>{7};
  EXPECT_THAT(error_of([&] { load_dataset(files); }).what(),
              HasSubstr("skip_rows: row 7 is out of range"));
}

DatasetFiles probabilities_in(const std::vector<float>& p, std::size_t classes) {
  DatasetFiles files;
  files.scores.path = "scores";
  files.scores.kind = ScoreKind::probs;
  files.scores.given = given(array_of(p, NumberType::f32, classes));
  return files;
}

TEST(ProbabilitiesAsGiven, BecomeTheSameLogarithmsLater) {
  std::vector<float> p;
  for (int i = 0; i < 500; ++i) {
    const float top = 0.5f + 0.0009f * static_cast<float>(i);
    p.insert(p.end(), {top, i % 7 == 0 ? 0.0f : 1.0f - top, i % 7 == 0 ? 1.0f - top : 0.0f});
  }
  const DatasetFiles files = probabilities_in(p, 3);
  const LoadedDataset wanted = load_dataset(files);
  LoadedDataset later = load_dataset(files, {.probabilities = Probabilities::as_given});
  EXPECT_TRUE(later.are_probabilities);
  EXPECT_EQ(later.data.scores.data(), p.data());  // not copied
  EXPECT_EQ(later.data.clipped, 500u);
  take_logarithms(later);
  EXPECT_FALSE(later.are_probabilities);
  EXPECT_EQ(later.data.clipped, wanted.data.clipped);
  EXPECT_EQ(later.data.fingerprint(), wanted.data.fingerprint());
  take_logarithms(later);  // nothing is left to do
  EXPECT_EQ(later.data.fingerprint(), wanted.data.fingerprint());
}

TEST(ProbabilitiesAsGiven, AreCheckedAtOnce) {
  for (const float bad : {-0.25f, 1.5f, std::numeric_limits<float>::quiet_NaN(), 0.75f}) {
    std::vector<float> p(600, 0.5f);
    p[401] = bad;
    const DatasetFiles files = probabilities_in(p, 2);
    const auto message = [&](Probabilities probabilities) -> std::string {
      try {
        load_dataset(files, {.probabilities = probabilities});
      } catch (const Error& error) {
        return error.what();
      }
      return "nothing is wrong";
    };
    EXPECT_THAT(message(Probabilities::as_given), HasSubstr("row 200"));
    EXPECT_EQ(message(Probabilities::as_given), message(Probabilities::converted));
  }
}

TEST(TracedLogits, HaveTheSameTraceForAnyNumberOfThreads) {
  for (const std::size_t classes : {10u, 300u}) {
    const std::size_t rows = 900000 / classes;
    const auto made = testing_data::make_synthetic(rows, classes);
    for (const bool with_look : {false, true}) {
      const auto wanted = trace_finite_scores(made.data.scores, with_look, 1);
      for (const int threads : {2, 3, 8}) {
        const auto found = trace_finite_scores(made.data.scores, with_look, threads);
        EXPECT_EQ(found->hashes.total(), wanted->hashes.total());
        EXPECT_EQ(found->sketch, wanted->sketch);
        EXPECT_TRUE(std::ranges::equal(found->predicted_classes(), wanted->predicted_classes()));
        if (with_look) {
          EXPECT_EQ(found->look->others, wanted->look->others);
        }
      }
    }
    std::vector<float> z(made.data.scores.data(), made.data.scores.data() + rows * classes);
    z[z.size() - 1] = std::numeric_limits<float>::infinity();
    for (const int threads : {1, 2}) {
      EXPECT_FALSE(trace_finite_scores(Scores(z.data(), rows, classes), false, threads));
      EXPECT_FALSE(trace_finite_scores(Scores(z.data(), rows, classes), true, threads));
    }
  }
}

/// What a calibrator's file says of data is the same whether it is found out on the way or later.
TEST(TracedLogits, HaveTheFactsOfAllOthers) {
  for (const std::size_t classes : {3u, 40u, 300u}) {
    SCOPED_TRACE(classes);
    const auto made = testing_data::make_synthetic(3000, classes);
    std::vector<float> z(made.data.scores.data(), made.data.scores.data() + 3000 * classes);
    DatasetFiles files;
    files.scores.path = "scores";
    files.scores.given = given(array_of(z, NumberType::f32, classes));
    const auto expect_plain_facts = [&](const LoadedDataset& traced) {
      const LoadedDataset plain = load_dataset(files);
      const DataFacts found = full_facts_of(traced), wanted = full_facts_of(plain.data);
      EXPECT_EQ(found.fingerprint, wanted.fingerprint);
      EXPECT_EQ(found.fingerprint, plain.data.fingerprint());
      EXPECT_EQ(found.sketch, wanted.sketch);
      EXPECT_EQ(found.sketch, sketch_rows(plain.data));
      EXPECT_EQ(found.clipped, wanted.clipped);
      EXPECT_EQ(traced.join.notes, plain.join.notes);
    };
    const LoadedDataset traced = load_dataset(files, {.trace = true});
    ASSERT_TRUE(traced.trace);
    expect_plain_facts(traced);
    for (std::size_t i = 0; i < 3000; ++i) {
      const auto row = traced.data.scores.row(i);
      ASSERT_EQ(traced.trace->predicted[i],
                static_cast<std::uint32_t>(std::ranges::max_element(row) - row.begin()));
    }
    const LoadedDataset looked_at = load_dataset(files, {.trace = true, .first_look = true});
    expect_plain_facts(looked_at);
    ASSERT_TRUE(looked_at.data.first_look);
    EXPECT_FALSE(traced.data.first_look);
    const auto predicted = looked_at.trace->predicted_classes();
    EXPECT_TRUE(std::ranges::equal(predicted, traced.trace->predicted));
    // Scores that are raised are others than those that were read.
    z[1500 * classes] = -std::numeric_limits<float>::infinity();
    const LoadedDataset raised = load_dataset(files, {.trace = true});
    EXPECT_FALSE(raised.trace);
    EXPECT_EQ(raised.data.clipped, 1u);
    expect_plain_facts(raised);
    const LoadedDataset also_raised = load_dataset(files, {.trace = true, .first_look = true});
    EXPECT_FALSE(also_raised.data.first_look);
    expect_plain_facts(also_raised);
    // So are some of the rows.
    z[1500 * classes] = 0.0f;
    files.rows = "rows";
    files.given_rows = std::vector<std::size_t>{5, 17, 2000};
    const LoadedDataset some = load_dataset(files, {.trace = true});
    EXPECT_EQ(some.data.rows(), 3u);
    expect_plain_facts(some);
    z[2 * classes + 1] = std::numeric_limits<float>::quiet_NaN();
    files.given_rows.reset();
    files.rows.clear();
    EXPECT_THROW(load_dataset(files, {.trace = true}), Error);
    EXPECT_THROW(load_dataset(files, {.trace = true, .first_look = true}), Error);
  }
}

}  // namespace
}  // namespace credence::io
