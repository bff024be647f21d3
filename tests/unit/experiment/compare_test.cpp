#include "credence/compare.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "credence/error.hpp"
#include "synthetic.hpp"

namespace credence {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing_data::make_synthetic;

CompareOptions quick(std::vector<std::string> methods = {}) {
  CompareOptions options;
  options.methods = std::move(methods);
  options.bootstrap.resamples = 50;
  options.metrics.draws = 5;
  return options;
}

TEST(Compare, ScoresAreThoseOfFittingAndEvaluatingByHand) {
  const auto made = make_synthetic(600, 4);
  const CompareOptions options = quick({"slts"});
  const Comparison comparison = compare(made.data, options);
  const Split split = make_split(made.data, 0.5, 42);
  const Calibrator by_hand = fit(parse_method("slts"), made.data.select(split.calibration));
  const Dataset judged = made.data.select(split.evaluation);
  Matrix<double> p(judged.rows(), 4);
  by_hand.apply(judged.scores, p.view());
  const Evaluation expected = evaluate(p.view(), judged.votes, options.metrics);
  const MethodResult& found = comparison.splits[0].method("slts");
  EXPECT_EQ(found.calibrator.temperature(), by_hand.temperature());
  for (const Metric& metric : metric_table()) {
    EXPECT_EQ(found.evaluation[metric.name], expected[metric.name]) << metric.name;
  }
}

TEST(Compare, RanksByNllWithTheTwoReferencesAlwaysThere) {
  const Comparison comparison = compare(make_synthetic(600, 3).data, quick({"dirichlet-soft"}));
  const SplitResult& split = comparison.splits[0];
  EXPECT_NE(split.find("ts"), nullptr);
  EXPECT_NE(split.find("uncalibrated"), nullptr);
  EXPECT_TRUE(std::ranges::is_sorted(split.methods, {},
                                     [](const MethodResult& m) { return *m.evaluation["nll"]; }));
}

TEST(Compare, TheCandidateDoesNotDependOnTheVotesOfTheTestRows) {
  const auto made = make_synthetic(800, 4);
  const Split split = make_split(made.data, 0.5, 42);
  const Dataset learn = made.data.select(split.calibration);
  Dataset judge = made.data.select(split.evaluation);
  const Comparison before = compare(learn, judge, quick());
  std::vector<std::size_t> reversed(judge.rows());
  for (std::size_t i = 0; i < reversed.size(); ++i) reversed[i] = reversed.size() - 1 - i;
  judge.votes = judge.votes.select(reversed);
  const Comparison after = compare(learn, judge, quick());
  EXPECT_EQ(before.splits[0].candidate, after.splits[0].candidate);
  // Votes of other rows agree with predictions by chance alone, and then nothing is advised.
  EXPECT_FALSE(before.splits[0].by_chance);
  EXPECT_TRUE(after.splits[0].by_chance);
  EXPECT_EQ(after.splits[0].recommended, "uncalibrated");
  EXPECT_THAT(after.warnings.front(), HasSubstr("no more than chance would"));
  EXPECT_EQ(before.splits[0].why, after.splits[0].why);
  // The votes did change, and with them the scores.
  EXPECT_NE(before.splits[0].method("ts").evaluation["nll"],
            after.splits[0].method("ts").evaluation["nll"]);
}

TEST(Compare, ThreadsChangeNothing) {
  const auto made = make_synthetic(500, 3);
  CompareOptions options = quick();
  options.refits = 5;
  options.threads = 1;
  const Comparison one = compare(made.data, options);
  options.threads = 7;
  const Comparison seven = compare(made.data, options);
  ASSERT_EQ(one.splits[0].methods.size(), seven.splits[0].methods.size());
  for (std::size_t j = 0; j < one.splits[0].methods.size(); ++j) {
    const MethodResult& a = one.splits[0].methods[j];
    const MethodResult& b = seven.splits[0].methods[j];
    EXPECT_EQ(a.name, b.name);
    EXPECT_EQ(a.cross_validation.nll, b.cross_validation.nll);
    for (std::size_t k = 0; k < a.estimates.size(); ++k) {
      EXPECT_EQ(a.estimates[k].low, b.estimates[k].low);
      EXPECT_EQ(a.refit_estimates[k].high, b.refit_estimates[k].high);
    }
  }
}

TEST(Compare, OracleIsMarkedAndNeverRecommended) {
  CompareOptions options = quick({"slts"});
  options.oracle = true;
  const Comparison comparison = compare(make_synthetic(400, 3).data, options);
  const MethodResult& oracle = comparison.splits[0].method("oracle-ts");
  EXPECT_TRUE(oracle.oracle);
  EXPECT_NE(comparison.splits[0].recommended, "oracle-ts");
  // It minimises the evaluation nll over all temperatures, so no temperature does better.
  EXPECT_LE(*oracle.evaluation["nll"], *comparison.splits[0].method("slts").evaluation["nll"]);
}

TEST(Compare, SeveralSeedsGiveMeanAndStandardDeviationOverSplits) {
  CompareOptions options = quick({"slts"});
  options.seeds = {42, 43, 44};
  const Comparison comparison = compare(make_synthetic(400, 3).data, options);
  ASSERT_EQ(comparison.splits.size(), 3u);
  const auto spread = std::ranges::find(comparison.spread, "slts", &MethodSpread::name);
  ASSERT_NE(spread, comparison.spread.end());
  const auto nll = std::ranges::find(spread->metrics, "nll", &Spread::metric);
  std::vector<double> values;
  for (const SplitResult& split : comparison.splits) {
    values.push_back(*split.method("slts").evaluation["nll"]);
  }
  const double mean = (values[0] + values[1] + values[2]) / 3.0;
  double squares = 0.0;
  for (const double v : values) squares += (v - mean) * (v - mean);
  EXPECT_NEAR(*nll->mean, mean, 1e-15);  // the same three numbers, rounded in the last bit
  EXPECT_NEAR(*nll->deviation, std::sqrt(squares / 2.0), 1e-15);
}

TEST(Compare, MethodsBeyondTheEvidenceAreRefusedByNameAndLeftOutOtherwise) {
  Dataset data = make_synthetic(200, 3).data;
  const std::vector<std::uint32_t> voted(data.votes.voted().begin(), data.votes.voted().end());
  data.votes = Votes::from_labels(voted, 3);
  const Comparison comparison = compare(data, quick());
  EXPECT_EQ(comparison.splits[0].find("slts"), nullptr);
  EXPECT_NE(comparison.splits[0].find("ls-ts"), nullptr);
  EXPECT_THROW(compare(data, quick({"slts"})), Error);
}

TEST(Compare, OneVotePerEvaluationRowIsWarnedAbout) {
  const Comparison comparison = compare(make_synthetic(300, 3, 1).data, quick());
  EXPECT_THAT(comparison.warnings, Contains(HasSubstr("one vote each")));
}

TEST(Compare, WarnsOfAMatrixFittedToFewRows) {
  const Comparison comparison = compare(make_synthetic(200, 3).data, quick());
  EXPECT_THAT(comparison.warnings, Contains(HasSubstr("dirichlet-hard fits")));
}

TEST(Compare, WarnsOnceOfWhatSeveralMapsOfAPoolHaveToSay) {
  const Comparison comparison = compare(make_synthetic(600, 3).data, quick({"auto"}));
  std::vector<std::string> said = comparison.warnings;
  EXPECT_THAT(said, Contains(HasSubstr("auto: the loss of this map is not convex")));
  std::ranges::sort(said);
  EXPECT_EQ(std::ranges::adjacent_find(said), said.end());
}

TEST(Compare, CanBeStopped) {
  CompareOptions options = quick();
  options.progress = [](double, const std::string&) { return false; };
  try {
    compare(make_synthetic(200, 3).data, options);
    FAIL() << "went on";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::cancelled);
  }
}

TEST(Compare, GroupsAreResampledWholeAndWidenIntervals) {
  // Every row ten times over, as ten recordings of one patient: no more is known than from the
  // single rows, and only intervals over groups show it.
  std::vector<std::size_t> repeated;
  for (std::size_t i = 0; i < 120; ++i) repeated.insert(repeated.end(), 10, i);
  Dataset data = make_synthetic(120, 3).data.select(repeated);
  for (const std::size_t i : repeated) data.groups.push_back(static_cast<std::uint32_t>(i));
  CompareOptions options = quick({"slts"});
  options.bootstrap.resamples = 400;
  const Comparison grouped = compare(data, options);
  const Split split = make_split(data, 0.5, 42);
  Dataset judge = data.select(split.evaluation);
  judge.groups.clear();
  const Comparison single = compare(data.select(split.calibration), judge, options);
  const auto error = [](const Comparison& c) {
    const auto& e = c.splits[0].method("slts").estimates;
    return *std::ranges::find(e, "nll", &Estimate::name)->standard_error;
  };
  // sqrt(10) = 3.16 in theory; the bootstrap's own noise at 400 resamples is about 5 % each.
  EXPECT_NEAR(error(grouped) / error(single), std::sqrt(10.0), 0.6);
}

}  // namespace
}  // namespace credence
