// Values worked out by hand from the definitions in docs/metrics.md.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "credence/error.hpp"
#include "samples.hpp"

namespace credence {
namespace {

/// Sums of a handful of terms of order 1.
constexpr double kRounding = 1e-14;

/// Three rows, two classes, four votes each; bins of width 1/2.
///   row 0: conf 0.8 on class 0, r = 3/4, voted 0
///   row 1: conf 0.6 on class 1, r = 1/4, voted 0
///   row 2: conf 0.5 on class 0 (a tie), r = 1/2, voted 0 (a tie)
class ThreeRows : public testing::Test {
 protected:
  Matrix<double> p{{0.8, 0.2, 0.4, 0.6, 0.5, 0.5}, 3, 2};
  Matrix<double> counts{{3, 1, 3, 1, 2, 2}, 3, 2};
  Votes votes = Votes::from_counts(counts.view());
  // Concentrations, and probabilities that two annotators disagree.
  Matrix<double> sure{{2.0, 0.5, 4.0, 0.5, 1.0, 0.7}, 3, 2};
  Evaluation result = judged(p, votes, sure);
  static Evaluation judged(const Matrix<double>& p, const Votes& votes,
                           const Matrix<double>& sure) {
    Evaluator evaluator(votes, {.bins = 2, .entropy_bins = 2});
    evaluator.add(p.view(), sure.view());
    return evaluator.finish();
  }
  double get(std::string_view name) const { return result[name].value(); }
};

TEST_F(ThreeRows, AccuracyCountsTheVoteAndTheReaders) {
  EXPECT_NEAR(get("accuracy"), 2.0 / 3.0, kRounding);
  EXPECT_NEAR(get("reader_accuracy"), (0.75 + 0.25 + 0.5) / 3.0, kRounding);
}

TEST_F(ThreeRows, CalibrationErrorsAddTheMagnitudesOfBinGaps) {
  // Rows 0 and 1 share the upper bin, row 2 is alone in the lower one (0.5 is its upper edge).
  EXPECT_NEAR(get("ece_voted"), (std::abs(1.4 - 1.0) + std::abs(0.5 - 1.0)) / 3.0, kRounding);
  EXPECT_NEAR(get("ece_expected"), (std::abs(1.4 - 1.0) + 0.0) / 3.0, kRounding);
  EXPECT_NEAR(get("aece_expected"), (0.35 + 0.05) / 3.0, kRounding);
}

TEST_F(ThreeRows, TrueErrorAveragesOverAllDraws) {
  // Upper bin: heads 0, 1, 2 with chances 3/16, 10/16, 3/16 against 1.4; lower: 0 or 1 against 0.5.
  const double upper = (3 * 1.4 + 10 * 0.4 + 3 * 0.6) / 16.0, lower = 0.5;
  EXPECT_NEAR(get("ece_true_exact"), (upper + lower) / 3.0, kRounding);
}

TEST_F(ThreeRows, FloorIsTheMeanMagnitudeOfNormalNoise) {
  const double upper = std::sqrt(2.0 / std::numbers::pi * (3.0 / 16.0 + 3.0 / 16.0));
  const double lower = std::sqrt(2.0 / std::numbers::pi * 0.25);
  EXPECT_NEAR(get("ece_floor"), (upper + lower) / 3.0, kRounding);
}

TEST_F(ThreeRows, ClasswiseErrorBinsEachClassByItsOwnProbability) {
  // Class 0: p = 0.8 | 0.4, 0.5 against 0.75 | 0.75, 0.5. Class 1: 0.6 | 0.2, 0.5 against
  // 0.25 | 0.25, 0.5.
  const double class0 = 0.05 + std::abs(0.9 - 1.25), class1 = 0.35 + std::abs(0.7 - 0.75);
  EXPECT_NEAR(get("cwece_expected"), (class0 + class1) / 3.0 / 2.0, kRounding);
}

TEST_F(ThreeRows, DebiasedSquareSubtractsTheNoiseOfTheMeanAndSkipsSingleRows) {
  // Upper bin: gaps 0.05 and 0.35, mean 0.2, variance 2 * 0.15^2 / (2 - 1).
  EXPECT_NEAR(get("ece2_debiased"), 2.0 / 3.0 * (0.04 - 0.045 / 2.0), kRounding);
}

TEST_F(ThreeRows, BrierScores) {
  const double row0 = 2 * 0.05 * 0.05, row1 = 2 * 0.35 * 0.35, row2 = 0.0;
  const double spread = (6.0 / 16.0 + 6.0 / 16.0 + 0.5) / 3.0;
  EXPECT_NEAR(get("brier"), (row0 + row1 + row2) / 3.0, kRounding);
  EXPECT_NEAR(get("brier_reader"), (row0 + row1 + row2) / 3.0 + spread, kRounding);
  EXPECT_NEAR(get("brier_unbiased"), (row0 + row1 + row2) / 3.0 - spread / 3.0, kRounding);
  // Pairs of annotators that disagree: 6 of 12 ordered pairs (3:1), 8 of 12 (2:2).
  EXPECT_NEAR(get("annotator_disagreement"), (0.5 + 0.5 + 8.0 / 12.0) / 3.0, kRounding);
  EXPECT_EQ(result.repeated_rows, 3U);
}

TEST_F(ThreeRows, Likelihoods) {
  const double row0 = -(0.75 * std::log(0.8) + 0.25 * std::log(0.2));
  const double row1 = -(0.75 * std::log(0.4) + 0.25 * std::log(0.6));
  const double row2 = std::log(2.0);
  const double entropy = -(0.75 * std::log(0.75) + 0.25 * std::log(0.25));
  EXPECT_NEAR(get("nll"), (row0 + row1 + row2) / 3.0, kRounding);
  EXPECT_NEAR(get("kl"), (row0 + row1 - 2 * entropy) / 3.0, kRounding);
  EXPECT_EQ(result.infinite_nll_rows, 0U);
}

TEST_F(ThreeRows, VotesUnderTheirConcentrationsAndPairsThatDisagree) {
  // Pólya's urn, 4!/(3! 1!) = 4 orders of 3:1 and 6 of 2:2. Row 0 has parameters 1.6 and 0.4, row 1
  // has 1.6 and 2.4, row 2 has 0.5 and 0.5.
  const double row0 = 4 * 1.6 * 2.6 * 3.6 * 0.4 / (2.0 * 3.0 * 4.0 * 5.0);
  const double row1 = 4 * 1.6 * 2.6 * 3.6 * 2.4 / (4.0 * 5.0 * 6.0 * 7.0);
  const double row2 = 6 * 0.5 * 1.5 * 0.5 * 1.5 / (1.0 * 2.0 * 3.0 * 4.0);
  EXPECT_NEAR(get("dm_nll"), -(std::log(row0) + std::log(row1) + std::log(row2)) / 3.0, kRounding);
  EXPECT_NEAR(get("predicted_disagreement"), (0.5 + 0.5 + 0.7) / 3.0, kRounding);
  ASSERT_EQ(result.disagreement_bins.size(), 2U);
  EXPECT_EQ(result.disagreement_bins[0].count, 2U);  // equal predictions stay together
  EXPECT_NEAR(result.disagreement_bins[0].observed, 0.5, kRounding);
  EXPECT_NEAR(result.disagreement_bins[0].standard_error, 0.0, kRounding);
  EXPECT_NEAR(result.disagreement_bins[1].predicted, 0.7, kRounding);
  EXPECT_NEAR(result.disagreement_bins[1].observed, 8.0 / 12.0, kRounding);
  EXPECT_TRUE(std::isnan(result.disagreement_bins[1].standard_error));  // one row: unknown
}

TEST(Evaluate, WithoutConcentrationsTheirMetricsAreEmpty) {
  const Matrix<double> p({0.8, 0.2, 0.4, 0.6}, 2, 2), counts({3, 1, 1, 3}, 2, 2);
  const Votes votes = Votes::from_counts(counts.view());
  const Evaluation result = evaluate(p.view(), votes);
  EXPECT_FALSE(result["dm_nll"].has_value());
  EXPECT_FALSE(result["predicted_disagreement"].has_value());
  EXPECT_TRUE(result.disagreement_bins.empty());
  Evaluator evaluator(votes);
  const Matrix<double> sure({1.0, 0.5}, 1, 2), bad({-1.0, 0.5}, 1, 2);
  EXPECT_THROW(evaluator.add(p.view().block(0, 1), bad.view()), Error);
  evaluator.add(p.view().block(0, 1), sure.view());
  EXPECT_THROW(evaluator.add(p.view().block(1, 1)), Error);  // all rows have them, or none
}

TEST_F(ThreeRows, PointwiseErrorOverallAndByEntropy) {
  EXPECT_NEAR(get("pointwise"), (0.05 + 0.35 + 0.0) / 3.0, kRounding);
  ASSERT_EQ(result.pointwise_by_entropy.size(), 2U);
  const EntropyBin& low = result.pointwise_by_entropy[0];
  EXPECT_EQ(low.count, 2U);  // equal entropies stay together
  EXPECT_NEAR(low.entropy, 2.0 - 0.75 * std::log2(3.0), kRounding);
  EXPECT_NEAR(low.error, 0.2, kRounding);
  EXPECT_NEAR(low.standard_error, 0.15, kRounding);  // sqrt(0.045 / 2)
  EXPECT_NEAR(result.pointwise_by_entropy[1].entropy, 1.0, kRounding);
  EXPECT_TRUE(std::isnan(result.pointwise_by_entropy[1].standard_error));  // one row: unknown
}

TEST_F(ThreeRows, ReliabilityBinsHoldMeans) {
  ASSERT_EQ(result.reliability.size(), 2U);
  EXPECT_EQ(result.reliability[0].count, 1U);
  EXPECT_EQ(result.reliability[1].count, 2U);
  EXPECT_NEAR(result.reliability[1].confidence, 0.7, kRounding);
  EXPECT_NEAR(result.reliability[1].agreement, 0.5, kRounding);
  EXPECT_NEAR(result.reliability[1].accuracy, 0.5, kRounding);
}

TEST_F(ThreeRows, EveryListedMetricIsReportedInTheOrderOfTheTable) {
  ASSERT_EQ(result.metrics.size(), metric_table().size());
  for (std::size_t i = 0; i < result.metrics.size(); ++i) {
    EXPECT_EQ(result.metrics[i].name, metric_table()[i].name);
    EXPECT_TRUE(result.metrics[i].value.has_value()) << result.metrics[i].name;
    EXPECT_FALSE(metric_table()[i].meaning.empty());
  }
  EXPECT_EQ(result.rows, 3U);
  EXPECT_EQ(result.classes, 2U);
  EXPECT_EQ(result.protocol.bins, 2);
}

TEST(Evaluate, ProbabilityZeroForAChosenClassEmptiesLikelihoodsAndIsCounted) {
  const Matrix<double> p({1, 0, 1, 0, 0.5, 0.5}, 3, 2), counts({3, 1, 4, 0, 2, 2}, 3, 2);
  const Evaluation result = evaluate(p.view(), Votes::from_counts(counts.view()));
  EXPECT_EQ(result.infinite_nll_rows, 1U);  // row 1 gives 0 to a class that nobody chose
  EXPECT_FALSE(result["nll"].has_value());
  EXPECT_FALSE(result["kl"].has_value());
  EXPECT_TRUE(result["brier"].has_value());
}

TEST(Evaluate, ProbabilitiesWhereExpEndsAreNotTakenForTheirLogarithm) {
  // A softmax over scores 2,000 apart gives exp(-708), as it does over scores 708 apart.
  const double least = std::exp(-708.0);
  const Matrix<double> counts({3, 1}, 1, 2);
  const auto nll = [&](double p) {
    const Matrix<double> row({1.0 - p, p}, 1, 2);
    return evaluate(row.view(), Votes::from_counts(counts.view()))["nll"];
  };
  EXPECT_FALSE(nll(least).has_value());
  EXPECT_FALSE(nll(least / 50.0).has_value());
  EXPECT_NEAR(nll(1e-300).value(), 0.25 * 300.0 * std::log(10.0), 1e-10);
}

TEST(Evaluate, ErrorByChanceIsThatOfNormalGapsWithTheSpreadOfTheBins) {
  // One bin: gaps -0.1, 0.3, 0.1, whose variance is 0.04, the same with the bins pooled.
  const Matrix<double> p({0.9, 0.1, 0.8, 0.2, 0.85, 0.15}, 3, 2);
  const Matrix<double> counts({4, 0, 2, 2, 3, 1}, 3, 2);
  const Evaluation result = evaluate(p.view(), Votes::from_counts(counts.view()), {.bins = 2});
  EXPECT_NEAR(result.ece_by_chance, std::sqrt(2.0 / std::numbers::pi * 3.0 * 0.04) / 3.0, 1e-15);
}

TEST(Evaluate, SingleVotesLeaveNothingToMeasureDisagreementBy) {
  const Matrix<double> p({0.9, 0.1, 0.4, 0.6}, 2, 2), counts({1, 0, 0, 1}, 2, 2);
  const Evaluation result = evaluate(p.view(), Votes::from_counts(counts.view()));
  EXPECT_FALSE(result["brier_unbiased"].has_value());
  EXPECT_FALSE(result["annotator_disagreement"].has_value());
  EXPECT_EQ(result.repeated_rows, 0U);
  EXPECT_TRUE(result["brier"].has_value());
}

TEST(Evaluate, UnbiasedScoresAreMeansOverTheRowsWithTwoVotesOrMore) {
  const Matrix<double> p({0.9, 0.1, 0.4, 0.6, 0.7, 0.3}, 3, 2);
  const Matrix<double> counts({1, 0, 1, 2, 2, 0}, 3, 2);
  const Evaluation all = evaluate(p.view(), Votes::from_counts(counts.view()));
  const Matrix<double> p_two({0.4, 0.6, 0.7, 0.3}, 2, 2), counts_two({1, 2, 2, 0}, 2, 2);
  const Evaluation two = evaluate(p_two.view(), Votes::from_counts(counts_two.view()));
  EXPECT_EQ(all.repeated_rows, 2U);
  EXPECT_EQ(all["brier_unbiased"], two["brier_unbiased"]);
  EXPECT_EQ(all["annotator_disagreement"], two["annotator_disagreement"]);
}

TEST(Evaluate, SharesAndFractionalWeightsHideTheNumberOfVoters) {
  const Matrix<double> p({0.9, 0.1, 0.4, 0.6}, 2, 2);
  const Matrix<double> shares({0.75, 0.25, 0.5, 0.5}, 2, 2), weights({2.5, 1.5, 3, 1}, 2, 2);
  for (const auto& votes : {shares, weights}) {
    const Evaluation result = evaluate(p.view(), Votes::from_counts(votes.view()));
    EXPECT_FALSE(result["brier_unbiased"].has_value());
    EXPECT_FALSE(result["annotator_disagreement"].has_value());
    EXPECT_EQ(result.repeated_rows, 0U);
  }
}

TEST(Evaluate, OneClassIsPerfectAndDividesByNothing) {
  const Matrix<double> p({1.0, 1.0}, 2, 1), counts({2, 3}, 2, 1);
  const Evaluation result = evaluate(p.view(), Votes::from_counts(counts.view()));
  EXPECT_EQ(result["accuracy"], 1.0);
  EXPECT_EQ(result["ece_true_exact"], 0.0);
  EXPECT_EQ(result["kl"], 0.0);
  EXPECT_EQ(result.pointwise_by_entropy.at(0).entropy, 0.0);
}

TEST(Evaluate, UnknownMetricNamesAreRefusedWithTheNearestOne) {
  const auto result = samples::problem(1, 4, 2, 3).evaluate();
  try {
    result["ece_expcted"];
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::usage);
    EXPECT_STREQ(error.what(), "unknown metric 'ece_expcted'; did you mean 'ece_expected'?");
  }
}

template <class Action>
std::string message_of(Action action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Evaluate, BadProbabilitiesAreNamedByRowColumnAndValue) {
  const Matrix<double> counts({1, 0, 0, 1}, 2, 2);
  const Votes votes = Votes::from_counts(counts.view());
  const auto message = [&](std::vector<double> values) {
    const Matrix<double> p(std::move(values), 2, 2);
    return message_of([&] { evaluate(p.view(), votes); });
  };
  EXPECT_EQ(message({0.5, 0.5, -0.5, 1.5}),
            "probabilities: row 1, column 0: -0.5 is not between 0 and 1");
  EXPECT_EQ(message({0.5, 0.5, 0.5, NAN}),
            "probabilities: row 1, column 1: nan is not between 0 and 1");
  EXPECT_EQ(message({0.5, 0.25, 0.5, 0.5}), "probabilities: row 0: sum is 0.75, wanted 1");
}

TEST(Evaluate, ShapesThatDoNotMatchAreRefused) {
  const Matrix<double> counts({1, 0, 0, 1}, 2, 2), p({0.5, 0.5, 0.5, 0.5}, 2, 2);
  const Votes votes = Votes::from_counts(counts.view());
  EXPECT_EQ(message_of([&] { evaluate(p.view().block(0, 1), votes); }),
            "probabilities have 1 rows, votes have 2");
  EXPECT_EQ(message_of([&] { evaluate(Rows(p.data(), 1, 4), votes); }),
            "probabilities have 4 classes, votes have 2");
  EXPECT_EQ(message_of([&] {
              Evaluator evaluator(votes);
              evaluator.add(p.view());
              evaluator.add(p.view());
            }),
            "probabilities have at least 4 rows, votes have 2");
  EXPECT_EQ(message_of([&] { evaluate(p.view(), votes, {.bins = 0}); }),
            "bins = 0; wanted 1 to 1000000");
  EXPECT_EQ(message_of([&] { Evaluator evaluator{Votes()}; }),
            "no examples to evaluate: the votes are empty");
}

}  // namespace
}  // namespace credence
