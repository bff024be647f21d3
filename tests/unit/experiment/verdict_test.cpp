#include "credence/verdict.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "credence/compare.hpp"
#include "experiment/decisions.hpp"
#include "synthetic.hpp"

namespace credence::experiment {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing_data::make_synthetic;

CompareOptions few_methods() {
  CompareOptions options;
  options.methods = {"ts", "slts", "soft-platt", "vs"};
  options.bootstrap.resamples = 200;
  options.metrics.draws = 2;
  return options;
}

TEST(Verdict, ShipsWhatTheTestRowsShowToBeBetter) {
  const SplitResult split = compare(make_synthetic(1200, 3).data, few_methods()).splits[0];
  EXPECT_EQ(split.verdict, Verdict::ship);
  EXPECT_EQ(split.recommended, split.candidate);
  EXPECT_NE(split.candidate, "uncalibrated");
}

TEST(Verdict, KeepsAModelThatIsCalibratedAlready) {
  // Scores that are the logarithms of what the votes are drawn from.
  auto made = make_synthetic(1200, 3, 7, 1.0);
  for (std::size_t i = 0; i < 1200; ++i) {
    for (std::size_t k = 0; k < 3; ++k) {
      made.scores(i, k) = static_cast<float>(1.5 * testing_data::normal(1, i, k));
    }
  }
  const Dataset data = make_dataset(std::as_const(made.scores).view(), ScoreKind::logits,
                                    Votes::from_counts(made.counts.view()));
  const SplitResult split = compare(data, few_methods()).splits[0];
  EXPECT_EQ(split.verdict, Verdict::keep);
  EXPECT_EQ(split.recommended, "uncalibrated");
  EXPECT_NE(split.candidate, "uncalibrated") << "the best other one is still named";
}

TEST(Verdict, FallsBackToATemperatureWhereRowsAreTooFewToChoose) {
  CompareOptions options = few_methods();
  const SplitResult split = compare(make_synthetic(60, 3).data, options).splits[0];
  EXPECT_EQ(split.verdict, Verdict::too_few);
  EXPECT_EQ(split.recommended, "slts");
  ASSERT_TRUE(split.examples_needed);
  EXPECT_GE(*split.examples_needed, 2 * kFewestRows);
}

TEST(Verdict, CountsGroupsAsWellAsRows) {
  Dataset data = make_synthetic(1200, 3).data;
  for (std::size_t i = 0; i < data.rows(); ++i)
    data.groups.push_back(static_cast<std::uint32_t>(i % 6));
  const SplitResult split = compare(data, few_methods()).splits[0];
  EXPECT_EQ(split.verdict, Verdict::too_few);
  EXPECT_EQ(split.recommended, "uncalibrated") << "a few patients say little about the next one";
  EXPECT_FALSE(split.examples_needed) << "groups are what is missing";
}

TEST(Verdict, OfFewGroupsShipsOnlyWhatBothHalvesShowBeyondDoubt) {
  Dataset data = make_synthetic(1200, 3).data;  // over-confident by a factor of 2.5
  for (std::size_t i = 0; i < data.rows(); ++i)
    data.groups.push_back(static_cast<std::uint32_t>(i % 24));
  EXPECT_EQ(compare(data, few_methods()).splits[0].verdict, Verdict::ship);
}

TEST(Verdict, OfOneGroupOfTestRowsHasNoIntervals) {
  const Dataset data = make_synthetic(600, 3).data;
  std::vector<std::size_t> first(300), last(300);
  std::iota(first.begin(), first.end(), std::size_t{0});
  std::iota(last.begin(), last.end(), std::size_t{300});
  Dataset test = data.select(last);
  test.groups.assign(300, 0);
  const Comparison found = compare(data.select(first), test, few_methods());
  EXPECT_EQ(found.splits[0].resampled_units, 0U);
  EXPECT_THAT(found.warnings, Contains(HasSubstr("all test rows are of one group")));
}

TEST(Verdict, KeepingPredictionsLeavesOnlyMethodsThatCannotChangeThem) {
  CompareOptions options = few_methods();
  options.keep_predictions = true;
  const SplitResult split = compare(make_synthetic(1200, 3).data, options).splits[0];
  EXPECT_TRUE(split.candidate == "ts" || split.candidate == "slts") << split.candidate;
  EXPECT_EQ(split.decisions.changed, 0U);
  for (const RecallChange& recall : split.decisions.recalls) {
    EXPECT_EQ(recall.before, recall.after);
  }
}

TEST(Verdict, LeavesOutMapsWithMoreParametersThanRowsUnlessTheyAreNamed) {
  const Dataset data = make_synthetic(120, 10).data;  // 60 rows calibrate, a matrix has 110 numbers
  CompareOptions options;
  options.bootstrap.resamples = 0;
  options.metrics.draws = 0;
  const Comparison all = compare(data, options);
  EXPECT_EQ(all.splits[0].find("dirichlet-soft"), nullptr);
  EXPECT_THAT(all.splits[0].left_out, Contains("dirichlet-soft"));
  EXPECT_THAT(all.warnings, Contains(HasSubstr("left out: dirichlet-hard, dirichlet-soft")));
  options.methods = {"dirichlet-soft"};
  EXPECT_NE(compare(data, options).splits[0].find("dirichlet-soft"), nullptr);
}

TEST(Verdict, WarnsFirstOfTestRowsThatWereFittedOn) {
  const Dataset data = make_synthetic(400, 3).data;
  std::vector<std::size_t> first, last;
  for (std::size_t i = 0; i < 400; ++i) {
    if (i < 210) first.push_back(i);
    if (i >= 200) last.push_back(i);
  }
  const Comparison found = compare(data.select(first), data.select(last), few_methods());
  EXPECT_THAT(found.warnings.front(), HasSubstr("10 of the 200 test rows"));
}

TEST(FinalFit, IsTheRecommendedMethodFittedToAllRows) {
  const Dataset data = make_synthetic(800, 3).data;
  CompareOptions options = few_methods();
  options.final_fit = true;
  const Comparison found = compare(data, options);
  ASSERT_EQ(found.final_calibrators.size(), 1U);
  const Calibrator all =
      fit(parse_method(found.splits[0].recommended), data, {.seed = found.splits[0].seed});
  EXPECT_EQ(found.final_calibrators[0].stages[0].theta, all.stages[0].theta);
}

/// Two classes, the second predicted where `says` is true.
Evaluation predicting(const std::vector<bool>& says, const Votes& votes) {
  Matrix<double> p(says.size(), 2);
  for (std::size_t i = 0; i < says.size(); ++i) {
    p(i, 1) = says[i] ? 0.8 : 0.2;
    p(i, 0) = 1.0 - p(i, 1);
  }
  return evaluate(p.view(), votes, {.draws = 0, .keep_rows = true});
}

TEST(Decisions, CountChangedPredictionsAndTheRecallOfEachClass) {
  const std::vector<std::uint32_t> labels{0, 0, 0, 0, 1, 1, 1, 1, 1};
  const Votes votes = Votes::from_labels(labels, 2);
  const Evaluation before =
      predicting({false, false, false, true, true, true, true, true, false}, votes);
  const Evaluation after =
      predicting({false, false, false, false, true, true, false, false, false}, votes);
  const Decisions found = compare_decisions(before, after, votes, {}, 0.95);
  EXPECT_EQ(found.rows, 9U);
  EXPECT_EQ(found.changed, 3U);
  ASSERT_EQ(found.recalls.size(), 2U);
  EXPECT_EQ(found.recalls[1].examples, 5U);
  EXPECT_EQ(found.recalls[0].before.value, 0.75);
  EXPECT_EQ(found.recalls[0].after.value, 1.0);
  EXPECT_EQ(found.recalls[1].before.value, 0.8);
  EXPECT_EQ(found.recalls[1].after.value, 0.4);
  // Wilson's interval for 4 of 5, from its closed form with z = 1.959964.
  EXPECT_NEAR(found.recalls[1].before.low, 0.3755346, 1e-6);
  EXPECT_NEAR(found.recalls[1].before.high, 0.9637759, 1e-6);
  EXPECT_EQ(found.recalls[0].after.high, 1.0);
  EXPECT_LT(found.recalls[0].after.low, 1.0) << "all of four is not certainty";
}

TEST(Decisions, IntervalsWidenWhereExamplesOfAGroupStandOrFallTogether) {
  std::vector<std::uint32_t> labels(200, 1), groups;
  std::vector<bool> says;
  for (std::uint32_t i = 0; i < 200; ++i) {
    groups.push_back(i / 20);
    says.push_back(i / 20 < 7);  // seven groups are right, three wrong
  }
  const Votes votes = Votes::from_labels(labels, 2);
  const Evaluation model = predicting(says, votes);
  const ShareEstimate alone = compare_decisions(model, model, votes, {}, 0.95).recalls[0].before;
  const ShareEstimate grouped =
      compare_decisions(model, model, votes, groups, 0.95).recalls[0].before;
  EXPECT_EQ(alone.value, grouped.value);
  // Ten groups say as much as nine or ten examples: the variance between groups has divisor 9.
  EXPECT_GT(grouped.high - grouped.low, 4.0 * (alone.high - alone.low));
}

}  // namespace
}  // namespace credence::experiment
