#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "credence/auto_fit.hpp"
#include "experiment/auto/candidates.hpp"
#include "experiment/auto/fold_work.hpp"
#include "experiment/auto/rule.hpp"
#include "map/about.hpp"
#include "synthetic.hpp"

namespace credence {
namespace {

using experiment::LossTable;
using experiment::weigh;
using testing::DoubleEq;
using testing::HasSubstr;
using testing_data::make_synthetic;

// -- The rule ------------------------------------------------------------------------------------

/// Candidates with these mean losses, every difference known to within `error`.
LossTable table_of(double rows, std::vector<double> mean, double error) {
  LossTable table;
  table.rows = rows;
  const std::size_t m = mean.size();
  table.mean = std::move(mean);
  table.error.assign(m, error);
  table.infinite.assign(m, 0.0);
  table.gap_error.assign(m * m, error);
  for (std::size_t c = 0; c < m; ++c) table.gap_error[c * m + c] = 0.0;
  return table;
}

const std::vector<std::size_t> kParameters{0, 1, 20, 400};

double sum_of(const std::vector<double>& weights) {
  double sum = 0.0;
  for (const double weight : weights) sum += weight;
  return sum;
}

TEST(AutoRule, WeightsAreSharesAndHopelessCandidatesGetNone) {
  const LossTable table = table_of(5000, {1.0, 0.9, 0.8, 0.801}, 0.005);
  const auto weights = weigh(table, {true, true, true, true}, kParameters, Automatic::pool);
  EXPECT_NEAR(sum_of(weights), 1.0, 1e-15);
  EXPECT_EQ(weights[0], 0.0);  // 40 standard errors behind
  EXPECT_GT(weights[2], weights[3]);
  EXPECT_GT(weights[3], 0.2);
}

TEST(AutoRule, WhatCannotBeUsedGetsNoWeight) {
  const LossTable table = table_of(5000, {1.0, 0.9, 0.1, 0.8}, 0.005);
  const auto weights = weigh(table, {true, true, false, true}, kParameters, Automatic::pool);
  EXPECT_EQ(weights[2], 0.0);
  EXPECT_GT(weights[3], 0.99);
}

TEST(AutoRule, FewRowsLeanTowardsTheSimplestCandidates) {
  double before = 1.0;
  for (const double rows : {20.0, 50.0, 100.0, 500.0, 5000.0}) {
    const LossTable table = table_of(rows, {1.0, 0.95, 0.9, 0.9}, 0.05);
    const auto weights = weigh(table, {true, true, true, true}, kParameters, Automatic::pool);
    const double simple = weights[0] + weights[1];
    EXPECT_LT(simple, before) << rows << " rows";
    before = simple;
  }
}

TEST(AutoRule, CandidatesThatPredictAlikeCountAlike) {
  LossTable table = table_of(5000, {1.0, 0.9, 0.8, 0.8}, 0.005);
  const auto weights = weigh(table, {true, true, true, true}, kParameters, Automatic::pool);
  EXPECT_THAT(weights[2], DoubleEq(weights[3]));
}

TEST(AutoRule, WeightsFadeByStandardErrorsBehindTheBest) {
  // So many rows that the two simplest get no share of their own.
  const LossTable table = table_of(1e6, {2.0, 1.9, 0.8, 0.81}, 0.005);
  const auto weights = weigh(table, {true, true, true, true}, kParameters, Automatic::pool);
  EXPECT_NEAR(weights[3] / weights[2], std::exp(-2.0), 1e-12);
}

TEST(AutoRule, ScoresThatGiveProbabilityZeroGetNoShareHoweverFewTheRows) {
  LossTable table = table_of(20, {0.1, 0.9, 0.8, 0.8}, 0.5);
  table.infinite[0] = 1.0;  // the mean leaves out the row that would make it infinite
  const auto weights = weigh(table, {false, true, true, true}, kParameters, Automatic::pool);
  EXPECT_EQ(weights[0], 0.0);
  EXPECT_GT(weights[1], 0.5);
  const auto without = weigh(table, {false, false, true, true}, kParameters, Automatic::pool);
  EXPECT_EQ(without[0] + without[1], 0.0);
  EXPECT_NEAR(sum_of(without), 1.0, 1e-15);
}

TEST(AutoRule, DrawsBackToTheSimplestAsFarAsAllTogetherDoWorse) {
  const experiment::AutoRule rule;
  const double error = 0.01;
  const auto share = [&](double all, double simplest) {
    return experiment::share_of_simplest(table_of(100, {all, simplest}, error), 0, 1, rule);
  };
  EXPECT_EQ(share(0.8, 0.9), 0.0);
  EXPECT_EQ(share(0.9, 0.9), 0.0);
  EXPECT_NEAR(share(0.9 + rule.retreat * error, 0.9), 1.0 - std::exp(-1.0), 1e-9);
  EXPECT_NEAR(share(1.9, 0.9), 1.0, 1e-12);
  LossTable impossible = table_of(100, {0.5, 0.9}, error);
  impossible.infinite[0] = 1.0;
  EXPECT_EQ(experiment::share_of_simplest(impossible, 0, 1, rule), 1.0);
  impossible.infinite[1] = 1.0;
  EXPECT_EQ(experiment::share_of_simplest(impossible, 0, 1, rule), 0.0);
}

TEST(AutoCandidates, CostAtMostRowsTimesClassesAboveAHundredClasses) {
  for (const std::size_t classes : {std::size_t{2}, std::size_t{10}, std::size_t{20},
                                    std::size_t{100}, std::size_t{101}, std::size_t{1000}}) {
    const auto all = experiment::auto_candidates(Automatic::pool, classes);
    ASSERT_GE(all.size(), 5u);
    EXPECT_EQ(all[experiment::kAsIs].name, "uncalibrated");
    EXPECT_EQ(all[experiment::kTemperature].name, "slts");
    std::set<std::string> names;
    for (const MethodSpec& one : all) {
      names.insert(one.name);
      if (classes <= 100) continue;
      for (const auto& stage : one.stages) {
        EXPECT_TRUE(map::keeps_order(stage.map)) << one.name << ", " << classes << " classes";
      }
    }
    EXPECT_EQ(names.size(), all.size());
  }
}

TEST(AutoRule, ASingleCandidateIsTheBestAndWithFewRowsTheSimplestWithinOneStandardError) {
  const std::vector<bool> all{true, true, true, true};
  const LossTable many = table_of(5000, {1.0, 0.9, 0.81, 0.8}, 0.02);
  EXPECT_EQ(weigh(many, all, kParameters, Automatic::single), (std::vector{0.0, 0.0, 0.0, 1.0}));
  const LossTable few = table_of(499, {1.0, 0.9, 0.81, 0.8}, 0.02);
  EXPECT_EQ(weigh(few, all, kParameters, Automatic::single), (std::vector{0.0, 0.0, 1.0, 0.0}));
}

TEST(AutoRule, MoreRowsBringACandidateNearerByWhatItLostToHavingFew) {
  // Held out the third is 0.04 behind the second, on the rows it is fitted to ahead by 0.02:
  // half-way lies 0.01 behind, which is what all the rows there could be would leave.
  const LossTable held_out = table_of(5000, {1.0, 0.9, 0.94}, 0.001);
  const LossTable seen = table_of(5000, {1.0, 0.89, 0.87}, 0.001);
  const auto behind = [&](std::size_t candidate, double times) {
    return experiment::behind_with_more_rows(held_out, seen, candidate, 1, times);
  };
  EXPECT_NEAR(behind(2, 1.0), 0.04, 1e-15);
  EXPECT_NEAR(behind(2, 2.0), 0.025, 1e-15);
  EXPECT_NEAR(behind(2, 1e12), 0.01, 1e-12);
  // A simple candidate falls back as the best gains; that is not held against it.
  EXPECT_NEAR(behind(0, 2.0), 0.1, 1e-15);
}

TEST(AutoLead, RulesOutWhatWouldStillBeFarBehindWithMoreRows) {
  experiment::AutoLead lead;
  lead.rows = 5000;
  lead.problems = {"", "", "", "failed"};
  lead.held_out = table_of(5000, {1.0, 0.9, 0.94, 0.5}, 0.005);
  lead.fitted = table_of(5000, {1.0, 0.89, 0.87, 0.5}, 0.005);
  // 0.025 behind with twice the rows, which is five standard errors.
  EXPECT_EQ(lead.ruled_out(2, 10'100), "");
  EXPECT_THAT(lead.ruled_out(2, 9'900), HasSubstr("5000 of the rows"));
  EXPECT_EQ(lead.ruled_out(1, 10'000), "") << "the best that could be used";
  EXPECT_EQ(lead.ruled_out(3, 10'000), "failed");
}

// -- The choice ----------------------------------------------------------------------------------

double nll_of(const Calibrator& calibrator, const Dataset& data) {
  Matrix<double> p(data.rows(), data.classes_count());
  calibrator.apply(data.scores, p.view());
  double sum = 0.0;
  for (std::size_t i = 0; i < data.rows(); ++i) {
    const VoteRow votes = data.votes.row(i);
    for (std::size_t v = 0; v < votes.classes.size(); ++v) {
      sum -= votes.weights[v] * std::log(p(i, votes.classes[v])) / data.votes.total(i);
    }
  }
  return sum / static_cast<double>(data.rows());
}

void expect_same(const Calibrator& a, const Calibrator& b) {
  const auto of_a = a.parts(), of_b = b.parts();
  ASSERT_EQ(of_a.size(), of_b.size());
  for (std::size_t m = 0; m < of_a.size(); ++m) {
    EXPECT_EQ(of_a[m].weight, of_b[m].weight);
    ASSERT_EQ(of_a[m].stages.size(), of_b[m].stages.size());
    for (std::size_t s = 0; s < of_a[m].stages.size(); ++s) {
      EXPECT_EQ(of_a[m].stages[s].theta, of_b[m].stages[s].theta);
    }
  }
  EXPECT_EQ(a.selection->nll, b.selection->nll);
  EXPECT_EQ(a.selection->harm, b.selection->harm);
}

AutoFit fitted(const Dataset& data, std::string_view method = "auto", int threads = 2) {
  FitOptions options;
  options.threads = threads;
  return fit_auto(parse_method(method), data, options);
}

TEST(Auto, HasTheSameBitsForAnyNumberOfThreadsAndFromAStream) {
  const auto made = make_synthetic(2500, 4);
  const AutoFit one = fitted(made.data, "auto", 1);
  expect_same(one.calibrator, fitted(made.data, "auto", 2).calibrator);
  expect_same(one.calibrator, fitted(made.data, "auto", 7).calibrator);
  DatasetRows rows(made.data);
  SourceWorker worker(rows, 2);
  expect_same(one.calibrator, fit_auto(parse_method("auto"), worker).calibrator);
}

TEST(Auto, ChoiceLedByThatOfAPartSaysTheSameAsOneThatTriesEverything) {
  const auto made = make_synthetic(36'000, 3);
  std::vector<std::size_t> half(18'000);
  std::iota(half.begin(), half.end(), std::size_t{0});
  const Dataset part = made.data.select(half);
  const MethodSpec method = parse_method("auto");
  const FitOptions options{.threads = 2};
  const AutoProgress nothing;
  experiment::AutoLead lead;
  const auto of_part = experiment::folds_in_memory(part, options, nothing, 1);
  experiment::choose_automatically(method, *of_part, options, {}, &lead);
  const auto folds = experiment::folds_in_memory(made.data, options, nothing, 1);
  const Selection led =
      *experiment::choose_automatically(method, *folds, options, lead).calibrator.selection;
  const Selection alone = *fitted(made.data).calibrator.selection;
  ASSERT_EQ(led.candidates.size(), alone.candidates.size());
  for (std::size_t c = 0; c < led.candidates.size(); ++c) {
    const CandidateReport& own = led.candidates[c];
    const CandidateReport& other = alone.candidates[c];
    // Fits that only serve the comparison end within a tenth of a unit of log-likelihood, so their
    // losses differ by a few millionths and weights by some of that over the standard error.
    EXPECT_NEAR(own.weight, other.weight, 0.02) << own.method;
    if (!own.problem.empty()) continue;
    EXPECT_NEAR(*own.nll, *other.nll, 2e-5) << own.method;
  }
  EXPECT_NEAR(*led.nll, *alone.nll, 2e-5);
}

TEST(Auto, SaysWhatItIsMadeOf) {
  const auto made = make_synthetic(800, 4);
  const Calibrator calibrator = fitted(made.data).calibrator;
  ASSERT_TRUE(calibrator.selection);
  double sum = 0.0;
  std::size_t members = 0;
  for (const CandidateReport& one : calibrator.selection->candidates) {
    sum += one.weight;
    members += one.weight > 0.0 ? 1 : 0;
    EXPECT_TRUE(one.nll || !one.problem.empty()) << one.method;
  }
  EXPECT_NEAR(sum, 1.0, 1e-12);
  EXPECT_EQ(members, calibrator.parts().size());
  EXPECT_EQ(calibrator.selection->folds, kAutoFolds);
  EXPECT_GT(calibrator.selection->gain, 0.0);  // the model is over-confident by construction
  EXPECT_LT(calibrator.selection->harm, 1e-3);
}

TEST(Auto, BeatsTheScoresAsTheyAreAndATemperatureOnRowsItHasNotSeen) {
  const auto made = make_synthetic(6000, 5);
  std::vector<std::size_t> learn, judge;
  for (std::size_t i = 0; i < 6000; ++i) (i < 2000 ? learn : judge).push_back(i);
  const Dataset calibration = made.data.select(learn), test = made.data.select(judge);
  const double chosen = nll_of(fitted(calibration).calibrator, test);
  EXPECT_LT(chosen, nll_of(fit(parse_method("uncalibrated"), calibration), test));
  // The noise of this model is shared by all classes: a temperature is all there is to learn, and
  // what is learned beside it must cost next to nothing.
  EXPECT_LT(chosen, 1.001 * nll_of(fit(parse_method("slts"), calibration), test));
}

/// Annotators who draw their votes from the model's own probabilities: there is nothing to learn.
Dataset calibrated_model(std::size_t rows, std::size_t classes, int votes, std::uint64_t seed) {
  Matrix<float> scores(rows, classes);
  Matrix<double> counts(rows, classes);
  for (std::size_t i = 0; i < rows; ++i) {
    std::vector<double> p(classes);
    double sum = 0.0;
    for (std::size_t k = 0; k < classes; ++k) {
      scores(i, k) = static_cast<float>(1.5 * testing_data::normal(seed, i, k));
      sum += p[k] = std::exp(static_cast<double>(scores(i, k)));
    }
    for (int s = 0; s < votes; ++s) {
      double left = core::uniform(seed + 1, i, static_cast<std::uint64_t>(s)) * sum;
      std::size_t k = 0;
      while (k + 1 < classes && left >= p[k]) left -= p[k++];
      counts(i, k) += 1.0;
    }
  }
  std::vector<std::size_t> all(rows);
  std::iota(all.begin(), all.end(), std::size_t{0});
  return make_dataset(scores.view(), ScoreKind::logits, Votes::from_counts(counts.view()))
      .select(all);
}

TEST(Auto, DoesLittleHarmToAModelThatIsCalibratedAlready) {
  const Dataset test = calibrated_model(20000, 4, 5, 1000);
  const double as_it_is = nll_of(fit(parse_method("uncalibrated"), test), test);
  for (const std::size_t rows : {std::size_t{50}, std::size_t{200}}) {
    double sum = 0.0;
    constexpr int kRuns = 10;
    for (int run = 0; run < kRuns; ++run) {
      const Dataset few = calibrated_model(rows, 4, 3, 100 + 2 * static_cast<std::uint64_t>(run));
      sum += nll_of(fitted(few).calibrator, test) / as_it_is - 1.0;
    }
    // 0.2 % on average is what docs/auto.md allows.
    EXPECT_LT(sum / kRuns, 0.002) << rows << " rows";
  }
}

TEST(Auto, HoldsOutWholeGroups) {
  auto made = make_synthetic(400, 3);
  for (std::size_t i = 0; i < 400; ++i) {
    made.data.groups.push_back(static_cast<std::uint32_t>(i / 23));
  }
  const AutoFit found = fitted(made.data);
  ASSERT_EQ(found.fold.size(), 400u);
  for (std::size_t i = 1; i < 400; ++i) {
    const bool same = made.data.groups[i] == made.data.groups[i - 1];
    EXPECT_TRUE(!same || found.fold[i] == found.fold[i - 1]) << "row " << i;
  }
}

TEST(Auto, TheSimpleOneKeepsEveryPrediction) {
  const auto made = make_synthetic(600, 5);
  const Calibrator calibrator = fitted(made.data, "auto-simple").calibrator;
  Matrix<double> p(600, 5);
  calibrator.apply(made.data.scores, p.view());
  for (std::size_t i = 0; i < 600; ++i) {
    const auto scores = made.data.scores.row(i);
    const auto top = std::ranges::max_element(scores) - scores.begin();
    EXPECT_EQ(std::ranges::max_element(p.row(i)) - p.row(i).begin(), top) << "row " << i;
  }
}

TEST(Auto, TheSingleOneIsNoPool) {
  const Calibrator calibrator = fitted(make_synthetic(600, 4).data, "auto-single").calibrator;
  EXPECT_FALSE(calibrator.is_pool());
  EXPECT_TRUE(calibrator.selection);
}

// -- Fits that cannot work -----------------------------------------------------------------------

void expect_probabilities(const Calibrator& calibrator, const Dataset& data) {
  Matrix<double> p(data.rows(), data.classes_count());
  calibrator.apply(data.scores, p.view());
  for (std::size_t i = 0; i < data.rows(); ++i) {
    double sum = 0.0;
    for (const double x : p.row(i)) {
      EXPECT_GE(x, 0.0);
      sum += x;
    }
    EXPECT_NEAR(sum, 1.0, 1e-9);
  }
}

TEST(Auto, OneRowLeavesTheScoresAsTheyAreAndSaysWhy) {
  const auto made = make_synthetic(1, 3);
  const Calibrator calibrator = fitted(made.data).calibrator;
  ASSERT_EQ(calibrator.stages.size(), 1u);
  EXPECT_TRUE(std::holds_alternative<Identity>(calibrator.stages[0].map));
  EXPECT_THAT(calibrator.selection->notes.front(), HasSubstr("none can be held out"));
}

TEST(Auto, EndsInAResultWhereFitsCannotWork) {
  const auto many_classes = make_synthetic(50, 1000, 1);
  expect_probabilities(fitted(many_classes.data).calibrator, many_classes.data);

  auto tied = make_synthetic(60, 4);
  tied.data.votes = Votes::from_counts(Matrix<double>(60, 4, 1.0).view());
  expect_probabilities(fitted(tied.data).calibrator, tied.data);

  auto one_class = make_synthetic(60, 4);
  Matrix<double> all_first(60, 4);
  for (std::size_t i = 0; i < 60; ++i) all_first(i, 0) = 2.0;
  one_class.data.votes = Votes::from_counts(all_first.view());
  expect_probabilities(fitted(one_class.data).calibrator, one_class.data);

  auto separable = make_synthetic(60, 4);
  Matrix<double> right(60, 4);
  for (std::size_t i = 0; i < 60; ++i) {
    const auto scores = separable.data.scores.row(i);
    right(i, static_cast<std::size_t>(std::ranges::max_element(scores) - scores.begin())) = 3.0;
  }
  separable.data.votes = Votes::from_counts(right.view());
  expect_probabilities(fitted(separable.data).calibrator, separable.data);

  const auto two = make_synthetic(2, 3);
  expect_probabilities(fitted(two.data).calibrator, two.data);
}

TEST(Auto, HoldsRowsOutOneByOneWhereAllAreOfOneGroupAndSaysSo) {
  auto made = make_synthetic(60, 3);
  made.data.groups.assign(60, 0);
  const AutoFit found = fitted(made.data);
  expect_probabilities(found.calibrator, made.data);
  EXPECT_EQ(std::set<std::uint32_t>(found.fold.begin(), found.fold.end()).size(), kAutoFolds);
  EXPECT_THAT(found.calibrator.selection->notes, testing::Contains(HasSubstr("one group")));
}

TEST(Auto, GivesScoresThatRuleOutWhatSomebodyChoseNoShare) {
  auto made = make_synthetic(300, 4);
  Matrix<float> scores(300, 4);
  for (std::size_t i = 0; i < 300; ++i) {
    const auto row = made.data.scores.row(i);
    for (std::size_t k = 0; k < 4; ++k) scores(i, k) = row[k];
    // As a forest does: the class that most annotators chose is impossible now and then.
    if (i % 30 == 0) scores(i, made.data.votes.voted(i)) = -2000.0F;
  }
  std::vector<std::size_t> all(300);
  std::iota(all.begin(), all.end(), std::size_t{0});
  const Dataset data = make_dataset(scores.view(), ScoreKind::logits, made.data.votes).select(all);
  const Calibrator calibrator = fitted(data).calibrator;
  const CandidateReport& as_is = calibrator.selection->candidates.front();
  EXPECT_EQ(as_is.weight, 0.0);
  EXPECT_THAT(as_is.problem, HasSubstr("probability 0"));
  EXPECT_TRUE(std::isfinite(nll_of(calibrator, data)));
}

}  // namespace
}  // namespace credence
