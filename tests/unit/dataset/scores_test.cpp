#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cfloat>
#include <cmath>
#include <limits>

#include "credence/dataset.hpp"
#include "credence/error.hpp"

namespace credence {
namespace {

using testing::HasSubstr;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

Scores view(const std::vector<float>& values, std::size_t cols) {
  return {values.data(), values.size() / cols, cols};
}
Rows view(const std::vector<double>& values, std::size_t cols) {
  return {values.data(), values.size() / cols, cols};
}

template <class T>
std::string message(const std::vector<T>& values, std::size_t cols, ScoreKind kind,
                    std::size_t first_row = 0) {
  try {
    check_scores(view(values, cols), kind, "s.npy", first_row);
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

using Floats = std::vector<float>;
using Doubles = std::vector<double>;

TEST(CheckScores, LogitsMustBeFiniteOrMinusInfinity) {
  EXPECT_EQ(message(Floats{1, -2, 3, 4}, 2, ScoreKind::logits), "accepted");
  EXPECT_EQ(message(Floats{1, -2, 3, kNan}, 2, ScoreKind::logits),
            "s.npy: row 1, column 1: logit is nan; it must be a finite number");
  EXPECT_EQ(message(Floats{kInf, 1}, 2, ScoreKind::logits),
            "s.npy: row 0, column 0: logit is inf; it must be a finite number");
  EXPECT_EQ(message(Floats{0, 1, -kInf, -kInf}, 2, ScoreKind::log_probs),
            "s.npy: row 1: every log-probability is -inf; at least one class must be possible");
}

TEST(CheckScores, RowsAreNumberedFromTheStartOfTheFile) {
  EXPECT_THAT(message(Floats{1, 2, 3, kNan}, 2, ScoreKind::logits, 1000),
              HasSubstr("row 1001, column 1"));
}

TEST(CheckScores, MinusInfinityIsCounted) {
  const Floats values = {1, -kInf, 2, 0, -kInf, -kInf};
  EXPECT_EQ(check_scores(view(values, 3), ScoreKind::logits), 3u);
}

TEST(CheckScores, DoublesThatFloat32CannotHoldAreRefused) {
  EXPECT_THAT(message(Doubles{1, 1e39}, 2, ScoreKind::logits), HasSubstr("float32 holds at most"));
  EXPECT_EQ(message(Doubles{1, -1e38}, 2, ScoreKind::logits), "accepted");
}

TEST(CheckScores, ProbabilitiesMustLieInRangeAndSumToOne) {
  EXPECT_EQ(message(Floats{0.25f, 0.75f, 1, 0}, 2, ScoreKind::probs), "accepted");
  EXPECT_EQ(message(Floats{0.5f, 0.5f, -0.5f, 1.5f}, 2, ScoreKind::probs),
            "s.npy: row 1, column 0: probability is -0.5; probabilities lie between 0 and 1");
  EXPECT_EQ(message(Floats{0.5f, 0.25f}, 2, ScoreKind::probs),
            "s.npy: row 0: probabilities sum to 0.75; a row must sum to 1 within 1e-3");
  EXPECT_THAT(message(Floats{kNan, 1}, 2, ScoreKind::probs), HasSubstr("probability is nan"));
  EXPECT_EQ(message(Doubles{0.0004, 1.0}, 2, ScoreKind::probs), "accepted");
  EXPECT_EQ(message(Doubles{0.0, 1.0 + 1e-9}, 2, ScoreKind::probs), "accepted");
  EXPECT_THAT(message(Doubles{0.0, 1.0 + 1e-5}, 2, ScoreKind::probs), HasSubstr("column 1"));
}

TEST(CheckScores, LogitsGivenAsProbabilitiesAreToldSo) {
  try {
    check_scores(view(Floats{-3.0f, 5.0f}, 2), ScoreKind::probs, "s.npy");
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.hint(), HasSubstr("‹logits›"));
  }
}

TEST(FiniteLogits, ProbabilitiesBecomeTheirLogarithmsRoundedOnce) {
  const Doubles p = {0.1, 0.2, 0.7};
  const Conversion result = to_finite_logits(view(p, 3), ScoreKind::probs);
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_EQ(result.scores(0, k), static_cast<float>(std::log(p[k])));
  }
  EXPECT_EQ(result.clipped, 0u);
}

TEST(FiniteLogits, ZeroStandsForTheSmallestNormalFloat) {
  const Conversion result = to_finite_logits(view(Floats{0, 1}, 2), ScoreKind::probs);
  EXPECT_EQ(result.clipped, 1u);
  EXPECT_EQ(result.scores(0, 0), static_cast<float>(std::log(static_cast<double>(FLT_MIN))));
  EXPECT_EQ(result.scores(0, 1), 0.0f);
}

TEST(FiniteLogits, MinusInfinityIsRaisedRelativeToItsRow) {
  const Floats z = {3.0f, -kInf, 5.0f};
  const Conversion result = to_finite_logits(view(z, 3), ScoreKind::logits);
  const double lse = 5.0 + std::log1p(std::exp(-2.0));
  EXPECT_EQ(result.clipped, 1u);
  EXPECT_EQ(result.scores(0, 0), 3.0f);
  // One float32 rounding of a number near -80.
  EXPECT_NEAR(result.scores(0, 1), lse + std::log(static_cast<double>(FLT_MIN)), 8e-6);
}

TEST(FiniteLogits, LogitsAndProbabilitiesOfOneModelAreClippedAlike) {
  const Floats logits = {-kInf, 2.0f, 2.0f}, probs = {0.0f, 0.5f, 0.5f};
  const Conversion a = to_finite_logits(view(logits, 3), ScoreKind::logits);
  const Conversion b = to_finite_logits(view(probs, 3), ScoreKind::probs);
  // The rows differ by a shift; both entries near -85 are rounded to float32 once.
  EXPECT_NEAR(a.scores(0, 0) - a.scores(0, 1), b.scores(0, 0) - b.scores(0, 1), 2e-5);
}

TEST(FiniteLogits, FiniteScoresPassUnchanged) {
  const Floats z = {1.5f, -2.25f, FLT_MAX, -FLT_MAX};
  const Conversion result = to_finite_logits(view(z, 2), ScoreKind::log_probs);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(result.scores.data()[i], z[i]);
}

}  // namespace
}  // namespace credence
