#include "credence/class_order.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "dataset/assignment.hpp"
#include "dataset/cross_table.hpp"
#include "synthetic.hpp"

namespace credence {
namespace {

using testing::ElementsAre;

double sum_of(Rows gains, const std::vector<std::uint32_t>& columns) {
  double sum = 0.0;
  for (std::size_t i = 0; i < columns.size(); ++i) sum += gains(i, columns[i]);
  return sum;
}

TEST(Assignment, IsTheBestOfAllPermutations) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const std::size_t n = 2 + seed % 5;
    Matrix<double> gains(n, n);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) gains(i, j) = core::uniform(seed, i, j);
    }
    const auto found = dataset::best_assignment(std::as_const(gains).view());
    std::vector<std::uint32_t> order(n);
    std::iota(order.begin(), order.end(), 0U);
    double best = 0.0;
    do {
      best = std::max(best, sum_of(std::as_const(gains).view(), order));
    } while (std::ranges::next_permutation(order).found);
    // Both are sums of the same few numbers below 1, so only rounding separates them.
    EXPECT_NEAR(sum_of(std::as_const(gains).view(), found), best, 1e-14) << seed;
    std::vector<std::uint32_t> sorted = found;
    std::ranges::sort(sorted);
    std::iota(order.begin(), order.end(), 0U);
    EXPECT_EQ(sorted, order) << "every column once";
  }
}

TEST(Assignment, KeepsTheDiagonalWhereNothingIsBetter) {
  const Matrix<double> flat(4, 4);
  EXPECT_THAT(dataset::best_assignment(flat.view()), ElementsAre(0, 1, 2, 3));
}

TEST(Assignment, GreedyTakesTheLargestFirstAndLeavesNoRowWithout) {
  EXPECT_THAT(dataset::greedy_assignment({{0, 1, 5.0}, {1, 1, 4.0}, {2, 2, 1.0}}, 4),
              ElementsAre(1, 0, 2, 3));
}

/// The same data with column k of the scores moved to position[k].
Dataset with_columns(const Dataset& data, const std::vector<std::size_t>& position,
                     std::shared_ptr<Matrix<float>>& storage) {
  storage = std::make_shared<Matrix<float>>(data.rows(), data.classes_count());
  for (std::size_t i = 0; i < data.rows(); ++i) {
    for (std::size_t k = 0; k < position.size(); ++k) {
      (*storage)(i, position[k]) = data.scores(i, k);
    }
  }
  Dataset moved = data;
  moved.scores = std::as_const(*storage).view();
  moved.owner = storage;
  return moved;
}

TEST(ClassOrder, FindsThePermutationThatWasApplied) {
  const auto made = testing_data::make_synthetic(400, 3);
  std::shared_ptr<Matrix<float>> storage;
  const ClassOrder order = likely_class_order(with_columns(made.data, {2, 0, 1}, storage));
  EXPECT_TRUE(order.decisive);
  EXPECT_THAT(order.looks_like, ElementsAre(1, 2, 0));
  EXPECT_GT(order.gain(), order.chance_gain);
}

TEST(ClassOrder, FindsTwoSwappedClassesOfMany) {
  const auto made = testing_data::make_synthetic(3000, 8);
  std::shared_ptr<Matrix<float>> storage;
  const ClassOrder order =
      likely_class_order(with_columns(made.data, {0, 1, 2, 6, 4, 5, 3, 7}, storage));
  EXPECT_TRUE(order.decisive);
  EXPECT_THAT(order.looks_like, ElementsAre(0, 1, 2, 6, 4, 5, 3, 7));
}

TEST(ClassOrder, LeavesARightOrderAloneHoweverWeakTheModel) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    auto made = testing_data::make_synthetic(60, 4, 3, 0.0, seed);
    for (std::size_t i = 0; i < 60; ++i) {
      // Scores that know nothing: the best order is the luckiest.
      for (std::size_t k = 0; k < 4; ++k) {
        made.scores(i, k) = static_cast<float>(testing_data::normal(seed + 100, i, k));
      }
    }
    const Dataset data = make_dataset(std::as_const(made.scores).view(), ScoreKind::logits,
                                      Votes::from_counts(made.counts.view()));
    EXPECT_FALSE(likely_class_order(data).decisive) << seed;
  }
}

TEST(ClassOrder, ManyClassesAreSolvedGreedily) {
  // One example per class, predicted as the next class: 600 swapped columns.
  constexpr std::size_t kClasses = 600;
  Matrix<float> scores(kClasses, kClasses);
  std::vector<std::uint32_t> labels(kClasses);
  for (std::size_t i = 0; i < kClasses; ++i) {
    scores(i, (i + 1) % kClasses) = 5.0F;
    labels[i] = static_cast<std::uint32_t>(i);
  }
  const ClassOrder order = likely_class_order(make_dataset(
      std::as_const(scores).view(), ScoreKind::logits, Votes::from_labels(labels, kClasses)));
  EXPECT_EQ(order.agreement, 0.0);
  EXPECT_NEAR(order.best_agreement, 1.0, 1e-12);
  EXPECT_EQ(order.looks_like[1], 0U);
  // 600 differences cannot outweigh the choice among 600! orders.
  EXPECT_FALSE(order.decisive);
}

TEST(ClassOrder, IsTheSameWherePredictionsAreKnown) {
  // Above 65,536 rows only some are looked at.
  for (const std::size_t rows : {900u, 70000u}) {
    auto made = testing_data::make_synthetic(rows, 3);
    std::vector<std::uint32_t> predicted;
    for (std::size_t i = 0; i < rows; ++i) {
      const auto row = made.data.scores.row(i);
      predicted.push_back(static_cast<std::uint32_t>(std::ranges::max_element(row) - row.begin()));
    }
    for (const bool swapped : {false, true}) {
      if (swapped)
        made.data.votes = made.data.votes.relabel(std::vector<std::uint32_t>{1, 0, 2}, 3);
      const ClassOrder wanted = likely_class_order(made.data);
      const ClassOrder found = likely_class_order(made.data, predicted);
      EXPECT_EQ(wanted.decisive, swapped);
      EXPECT_EQ(found.looks_like, wanted.looks_like);
      EXPECT_EQ(found.rows, wanted.rows);
      EXPECT_EQ(found.agreement, wanted.agreement);
      EXPECT_EQ(found.chance_gain, wanted.chance_gain);
    }
  }
}

TEST(ClearDiagonal, IsLostWhereOthersAreChosenMoreOften) {
  dataset::ClearDiagonal few(3), more(3);
  EXPECT_TRUE(few.is_clear());
  few.add(0, 1.0);
  few.add(1, 0.75);
  more.add(0, 0.1);
  EXPECT_TRUE(few.is_clear());
  EXPECT_FALSE(more.is_clear());
  few.add(more);
  EXPECT_TRUE(few.is_clear());  // 1.1 beside 0.9
  few.add(0, 0.3);
  EXPECT_FALSE(few.is_clear());  // 1.4 beside 1.6
}

}  // namespace
}  // namespace credence
