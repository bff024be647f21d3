#include "credence/overlap.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "synthetic.hpp"

namespace credence {
namespace {

std::vector<std::size_t> range(std::size_t first, std::size_t last) {
  std::vector<std::size_t> rows(last - first);
  std::iota(rows.begin(), rows.end(), first);
  return rows;
}

TEST(Overlap, IsExactForFewRows) {
  const auto made = testing_data::make_synthetic(900, 3);
  const RowSketch fitted = sketch_rows(made.data.select(range(0, 400)));
  EXPECT_EQ(rows_fitted_on(fitted, made.data.select(range(0, 400))), 400U);
  EXPECT_EQ(rows_fitted_on(fitted, made.data.select(range(393, 900))), 7U);
  EXPECT_EQ(rows_fitted_on(fitted, made.data.select(range(400, 900))), 0U);
}

TEST(Overlap, OfManyRowsIsEstimatedFromASample) {
  const auto made = testing_data::make_synthetic(20000, 3);
  const RowSketch fitted = sketch_rows(made.data.select(range(0, 15000)));
  EXPECT_EQ(fitted.smallest.size(), RowSketch::kMostHashes);
  const auto found = rows_fitted_on(fitted, made.data.select(range(10000, 20000)));
  // A third of 2,048 hashes: four standard deviations of that share are 4.2 % of the rows.
  ASSERT_TRUE(found);
  EXPECT_NEAR(static_cast<double>(*found), 5000.0, 0.042 * 15000.0);
  EXPECT_EQ(rows_fitted_on(fitted, made.data.select(range(15000, 20000))), 0U);
}

TEST(Overlap, DoesNotDependOnTheOrderOfRowsOrOnHowTheyCame) {
  const auto made = testing_data::make_synthetic(10000, 4);
  std::vector<std::size_t> backwards = range(0, 10000);
  std::ranges::reverse(backwards);
  RowSketcher pieces;
  pieces.add(made.data.scores.block(0, 1));
  pieces.add(made.data.scores.block(1, 9000));
  pieces.add(made.data.scores.block(9001, 999));
  EXPECT_EQ(pieces.finish(), sketch_rows(made.data));
  EXPECT_EQ(sketch_rows(made.data.select(backwards)), sketch_rows(made.data));
}

TEST(Overlap, OfManyRowsKeepsWhatFewAtATimeKeep) {
  // The same rows again and again, some more often than others.
  for (const std::size_t different : {std::size_t{7500}, std::size_t{3000}, std::size_t{2}}) {
    const auto made = testing_data::make_synthetic(different, 4);
    std::vector<std::size_t> rows;
    for (std::size_t i = 0; i < 60000; ++i) rows.push_back(i % (1 + i % different));
    const Dataset many = made.data.select(rows);
    RowSketcher few;
    for (std::size_t first = 0; first < 60000; first += 500) {
      few.add(many.scores.block(first, 500));
      EXPECT_LE(few.kept().size(), RowSketch::kMostHashes);
    }
    EXPECT_EQ(sketch_rows(many), few.finish());
  }
}

TEST(Overlap, IsNoticedWhateverKindOfScoresIsGiven) {
  const auto made = testing_data::make_synthetic(1000, 5);
  const RowSketch fitted = sketch_rows(made.data);
  Matrix<float> shifted(1000, 5), probabilities(1000, 5);
  for (std::size_t i = 0; i < 1000; ++i) {
    double sum = 0.0;
    for (std::size_t k = 0; k < 5; ++k) sum += std::exp(double{made.scores(i, k)});
    for (std::size_t k = 0; k < 5; ++k) {
      shifted(i, k) = made.scores(i, k) + 3.0F;
      probabilities(i, k) = static_cast<float>(std::exp(double{made.scores(i, k)}) / sum);
    }
  }
  const Dataset moved = make_dataset(std::as_const(shifted).view(), ScoreKind::logits,
                                     Votes::from_counts(made.counts.view()));
  const Dataset probs = make_dataset(std::as_const(probabilities).view(), ScoreKind::probs,
                                     Votes::from_counts(made.counts.view()));
  // Rounding puts a number on another step about once in fifty times: 5 of them are one row.
  EXPECT_GT(rows_fitted_on(fitted, moved).value_or(0), 850U);
  EXPECT_GT(rows_fitted_on(fitted, probs).value_or(0), 850U);
}

TEST(Overlap, SaysNothingWhereDifferentExamplesShareScores) {
  Matrix<float> coarse(100, 2);
  for (std::size_t i = 0; i < 100; ++i) coarse(i, 0) = static_cast<float>(i % 10);
  const std::vector<std::uint32_t> labels(100, 0);
  const Dataset data =
      make_dataset(std::as_const(coarse).view(), ScoreKind::logits, Votes::from_labels(labels, 2));
  EXPECT_FALSE(rows_fitted_on(sketch_rows(data), data));
  EXPECT_FALSE(rows_in_common(data, data));
}

TEST(Overlap, OfRowsThatAreAllAlikeTakesNoMoreMemoryThanOfOthers) {
  const Matrix<float> alike(300000, 2);
  RowSketcher sketcher;
  sketcher.add(std::as_const(alike).view());
  const RowSketch sketch = sketcher.finish();
  EXPECT_EQ(sketch.smallest.size(), 1U);
  EXPECT_EQ(sketch.distinct, 1U);
}

TEST(Overlap, OfTwoDataSetsCountsTheRowsInBoth) {
  const auto made = testing_data::make_synthetic(500, 3);
  EXPECT_EQ(rows_in_common(made.data.select(range(0, 300)), made.data.select(range(250, 500))),
            50U);
}

}  // namespace
}  // namespace credence
