#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "credence/error.hpp"
#include "credence/simulate.hpp"

namespace credence {
namespace {

ConfusionMatrix always(std::uint32_t answer) {
  Matrix<double> values(3, 3);
  for (std::size_t i = 0; i < 3; ++i) values(i, answer) = 1.0;
  return make_confusion_matrix(values.view(), ConfusionKind::probabilities);
}

ConfusionMatrix identity() {
  Matrix<double> values(3, 3);
  for (std::size_t i = 0; i < 3; ++i) values(i, i) = 1.0;
  return make_confusion_matrix(values.view(), ConfusionKind::probabilities);
}

std::vector<ConfusionMatrix> only(ConfusionMatrix matrix) { return {std::move(matrix)}; }

TEST(Annotators, AnswersFollowTheRowsOfTheMatrix) {
  const auto isic = only(isic_confusion());
  constexpr std::size_t kRows = 16000;
  constexpr int kAnnotators = 9;
  std::vector<std::uint32_t> consensus(kRows);
  for (std::size_t i = 0; i < kRows; ++i) consensus[i] = static_cast<std::uint32_t>(i % 8);
  const auto answers = simulate_annotators(consensus, isic, {.annotators = kAnnotators});
  Matrix<double> counts(8, 8);
  for (std::size_t i = 0; i < kRows; ++i) {
    for (const std::uint32_t answer : answers.row(i)) counts(consensus[i], answer) += 1.0;
  }
  constexpr double kDraws = kRows / 8.0 * kAnnotators;
  for (std::size_t i = 0; i < 8; ++i) {
    double chi_square = 0.0;
    for (std::size_t j = 0; j < 8; ++j) {
      const double expected = kDraws * isic[0].probabilities(i, j);
      if (expected == 0.0) {
        EXPECT_EQ(counts(i, j), 0.0) << "an answer of probability 0 was drawn";
        continue;
      }
      chi_square += (counts(i, j) - expected) * (counts(i, j) - expected) / expected;
    }
    // At most 7 degrees of freedom: chance exceeds 29.9 once in 10,000 rows, and there are 8.
    EXPECT_LT(chi_square, 29.9) << isic[0].classes[i];
  }
}

TEST(Annotators, WhoNeverErrAgreeWithTheConsensus) {
  const std::vector<std::uint32_t> consensus{2, 0, 1, 1, 2};
  const auto answers = simulate_annotators(consensus, only(identity()), {.annotators = 5});
  for (std::size_t i = 0; i < consensus.size(); ++i) {
    EXPECT_TRUE(std::ranges::all_of(answers.row(i),
                                    [&](std::uint32_t answer) { return answer == consensus[i]; }));
  }
}

TEST(Annotators, HaveTheirOwnMatrixWhereEachIsGivenOne) {
  const std::vector<ConfusionMatrix> matrices{always(2), identity(), always(0)};
  const std::vector<std::uint32_t> consensus{1, 1, 2};
  const auto answers = simulate_annotators(consensus, matrices, {.annotators = 3});
  for (std::size_t i = 0; i < consensus.size(); ++i) {
    EXPECT_EQ(answers(i, 0), 2U);
    EXPECT_EQ(answers(i, 1), consensus[i]);
    EXPECT_EQ(answers(i, 2), 0U);
  }
}

TEST(Annotators, AnswersDependOnSeedRowAndAnnotatorOnly) {
  const auto isic = only(isic_confusion());
  const std::vector<std::uint32_t> shorter(50, 4), longer(80, 4);
  const auto few = simulate_annotators(shorter, isic, {.annotators = 3});
  const auto many = simulate_annotators(longer, isic, {.annotators = 7});
  for (std::size_t i = 0; i < shorter.size(); ++i) {
    for (std::size_t a = 0; a < 3; ++a) EXPECT_EQ(few(i, a), many(i, a));
  }
  const auto other = simulate_annotators(shorter, isic, {.annotators = 3, .seed = 43});
  EXPECT_FALSE(std::ranges::equal(few.view().row(0), other.view().row(0)) &&
               std::ranges::equal(few.view().row(1), other.view().row(1)) &&
               std::ranges::equal(few.view().row(2), other.view().row(2)));
}

TEST(Annotators, MustBeAsManyAsTheirMatricesAndKnowEveryClass) {
  const std::vector<ConfusionMatrix> two{identity(), identity()};
  const std::vector<std::uint32_t> consensus{0, 1}, unknown{0, 3};
  EXPECT_THROW(simulate_annotators(consensus, two, {.annotators = 3}), Error);
  EXPECT_THROW(simulate_annotators(consensus, two, {.annotators = 0}), Error);
  EXPECT_THROW(simulate_annotators(unknown, two, {.annotators = 2}), Error);
  const std::vector<ConfusionMatrix> mixed{identity(), isic_confusion()};
  EXPECT_THROW(simulate_annotators(consensus, mixed, {.annotators = 2}), Error);
}

}  // namespace
}  // namespace credence
