// What must hold for bootstrap intervals whatever the data.
#include "credence/bootstrap.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "credence/error.hpp"
#include "samples.hpp"

namespace credence {
namespace {

using samples::Problem;
using samples::problem;

constexpr MetricOptions kKeep{.keep_rows = true, .keep_votes = true};

constexpr std::size_t kFirst[] = {0}, kBoth[] = {0, 1};

const Estimate& find(const std::vector<Estimate>& estimates, std::string_view name) {
  for (const Estimate& estimate : estimates) {
    if (estimate.name == name) return estimate;
  }
  throw std::runtime_error("no estimate of that name");
}

/// The same votes, sharper probabilities.
Problem sharper(Problem data) {
  for (std::size_t i = 0; i < data.p.rows(); ++i) {
    double sum = 0.0;
    for (double& p : data.p.row(i)) sum += p *= p;
    for (double& p : data.p.row(i)) p /= sum;
  }
  return data;
}

void expect_same_bits(const std::vector<std::vector<Estimate>>& a,
                      const std::vector<std::vector<Estimate>>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t e = 0; e < a.size(); ++e) {
    for (std::size_t m = 0; m < a[e].size(); ++m) {
      EXPECT_EQ(a[e][m].value, b[e][m].value) << a[e][m].name;
      EXPECT_EQ(a[e][m].standard_error, b[e][m].standard_error) << a[e][m].name;
      EXPECT_EQ(a[e][m].low, b[e][m].low) << a[e][m].name;
      EXPECT_EQ(a[e][m].high, b[e][m].high) << a[e][m].name;
    }
  }
}

class EveryKind : public testing::TestWithParam<std::tuple<IntervalKind, bool>> {
 protected:
  BootstrapOptions options{
      .resamples = 100, .kind = std::get<0>(GetParam()), .annotators = std::get<1>(GetParam())};
};

TEST_P(EveryKind, ThreadsChangeNoBit) {
  const Problem data = problem(1, 300, 4, 5);
  const std::vector<Evaluation> both{data.evaluate(kKeep), sharper(data).evaluate(kKeep)};
  options.threads = 1;
  const BootstrapResult one = bootstrap(both, {}, kFirst, options);
  options.threads = 7;
  const BootstrapResult seven = bootstrap(both, {}, kFirst, options);
  expect_same_bits(one.estimates, seven.estimates);
  ASSERT_EQ(one.differences.size(), 1U);
  expect_same_bits(one.differences[0], seven.differences[0]);
}

TEST_P(EveryKind, EveryMetricThatPromisesAnIntervalHasOne) {
  const BootstrapResult result =
      bootstrap(std::vector{problem(2, 400, 3, 5).evaluate(kKeep)}, {}, {}, options);
  ASSERT_EQ(result.estimates.size(), 1U);
  EXPECT_TRUE(result.differences.empty());
  EXPECT_EQ(result.units, 400U);
  for (std::size_t m = 0; m < metric_table().size(); ++m) {
    const Metric& metric = metric_table()[m];
    const Estimate& estimate = result.estimates[0][m];
    SCOPED_TRACE(metric.name);
    EXPECT_EQ(estimate.name, metric.name);
    // These two have no value here, because nothing says how sure the probabilities are.
    const bool of_concentrations =
        metric.name == "dm_nll" || metric.name == "predicted_disagreement";
    EXPECT_EQ(estimate.value.has_value(), !of_concentrations);
    EXPECT_EQ(estimate.low.has_value(), metric.interval && !of_concentrations);
    EXPECT_EQ(metric.interval, metric.why_no_interval.empty());
    if (!estimate.low) continue;
    EXPECT_LT(*estimate.low, *estimate.high);
    EXPECT_GT(*estimate.standard_error, 0.0);
  }
}

TEST_P(EveryKind, AnEvaluationDoesNotDifferFromItself) {
  const Evaluation evaluation = problem(3, 200, 3, 5).evaluate(kKeep);
  const BootstrapResult result = bootstrap(std::vector{evaluation, evaluation}, {}, kBoth, options);
  for (std::size_t place = 0; place < 4; ++place) {
    // Against either of the two, which are the same.
    for (const Estimate& difference : result.differences[place / 2][place % 2]) {
      if (!difference.low) continue;
      EXPECT_EQ(difference.value, 0.0) << difference.name;
      EXPECT_EQ(difference.low, 0.0) << difference.name;
      EXPECT_EQ(difference.high, 0.0) << difference.name;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Bootstrap, EveryKind,
                         testing::Values(std::tuple{IntervalKind::percentile, false},
                                         std::tuple{IntervalKind::studentised, false},
                                         std::tuple{IntervalKind::percentile, true}),
                         [](const auto& param) {
                           return std::string(std::get<0>(param.param) == IntervalKind::percentile
                                                  ? "Percentile"
                                                  : "Studentised") +
                                  (std::get<1>(param.param) ? "WithAnnotators" : "");
                         });

TEST(Bootstrap, WeightsOfOneGiveTheValueBack) {
  // A single group is drawn once in every resample: all rows with weight 1.
  const Problem data = problem(4, 300, 4, 5);
  const std::vector<std::uint32_t> one_group(300, 7);
  const BootstrapResult result =
      bootstrap(std::vector{data.evaluate(kKeep)}, one_group, {}, {.resamples = 10});
  EXPECT_EQ(result.units, 1U);
  for (const Estimate& estimate : result.estimates[0]) {
    if (!estimate.low) continue;
    // The resample is summed in the same order as the rows as they are: no rounding between.
    EXPECT_EQ(estimate.low, estimate.value) << estimate.name;
    EXPECT_EQ(estimate.high, estimate.value) << estimate.name;
  }
}

TEST(Bootstrap, TheErrorOfAMeanIsTheTextbookOne) {
  const Problem data = problem(5, 2000, 3, 5);
  const Evaluation evaluation = data.evaluate(kKeep);
  const ExampleScores rows = examples(evaluation);
  double mean = 0.0, squares = 0.0;
  for (const double x : rows.brier) mean += x / 2000.0;
  for (const double x : rows.brier) squares += (x - mean) * (x - mean);
  const double textbook = std::sqrt(squares / 1999.0 / 2000.0);
  const BootstrapResult result = bootstrap(std::vector{evaluation}, {}, {}, {.resamples = 4000});
  // The deviation of 4,000 resampled means: its own relative error is 1/sqrt(8,000) = 1.1 %.
  EXPECT_NEAR(*find(result.estimates[0], "brier").standard_error, textbook, 0.04 * textbook);
}

TEST(Bootstrap, BinnedErrorsGetNoIntervalFromFewerExamplesThanTheirBinsNeed) {
  const BootstrapResult few =
      bootstrap(std::vector{problem(11, 12, 3, 5).evaluate(kKeep)}, {}, {}, {.resamples = 100});
  for (const char* name : {"ece_expected", "ece2_debiased"}) {
    EXPECT_TRUE(find(few.estimates[0], name).value) << name;
    EXPECT_FALSE(find(few.estimates[0], name).low) << name;
    EXPECT_FALSE(find(few.estimates[0], name).high) << name;
  }
  EXPECT_TRUE(find(few.estimates[0], "nll").low);
}

TEST(Bootstrap, IntervalOfAMagnitudeHoldsTheValueHoweverMuchIsChance) {
  for (std::uint64_t seed = 20; seed < 40; ++seed) {
    const BootstrapResult found =
        bootstrap(std::vector{problem(seed, 60, 3, 1).evaluate(kKeep)}, {}, {}, {.resamples = 100});
    const Estimate& ece = find(found.estimates[0], "ece_expected");
    ASSERT_TRUE(ece.low && ece.high);
    EXPECT_GE(*ece.low, 0.0);
    EXPECT_LE(*ece.low, *ece.value);
    EXPECT_GE(*ece.high, *ece.value);
  }
}

TEST(Bootstrap, GroupsOfOneAreExamples) {
  const Problem data = problem(6, 150, 3, 5);
  std::vector<std::uint32_t> alone(150);
  for (std::size_t i = 0; i < alone.size(); ++i) alone[i] = static_cast<std::uint32_t>(1000 - i);
  const std::vector<Evaluation> evaluations{data.evaluate(kKeep)};
  expect_same_bits(bootstrap(evaluations, alone, {}, {.resamples = 50}).estimates,
                   bootstrap(evaluations, {}, {}, {.resamples = 50}).estimates);
}

TEST(Bootstrap, GroupsOfLikeRowsWidenTheInterval) {
  // Every row four times: as groups they are 100 units, as rows they look like 400.
  const Problem few = problem(7, 100, 3, 5);
  Problem many{Matrix<double>(400, 3), Matrix<double>(400, 3)};
  std::vector<std::uint32_t> groups(400);
  for (std::size_t i = 0; i < 400; ++i) {
    groups[i] = static_cast<std::uint32_t>(i / 4);
    for (std::size_t k = 0; k < 3; ++k) {
      many.p(i, k) = few.p(i / 4, k);
      many.counts(i, k) = few.counts(i / 4, k);
    }
  }
  const std::vector<Evaluation> evaluations{many.evaluate(kKeep)};
  const BootstrapOptions options{.resamples = 4000};
  const auto error = [&](std::span<const std::uint32_t> by) {
    return *find(bootstrap(evaluations, by, {}, options).estimates[0], "nll").standard_error;
  };
  // A quarter of the units: twice the error; 1.6 % is the error of a ratio of two such deviations.
  EXPECT_NEAR(error(groups) / error({}), 2.0, 0.15);
}

TEST(Bootstrap, RedrawingAnnotatorsAddsSpread) {
  const std::vector<Evaluation> evaluations{problem(8, 300, 3, 3).evaluate(kKeep)};
  const auto error = [&](bool annotators) {
    const BootstrapOptions options{.resamples = 1000, .annotators = annotators};
    return *find(bootstrap(evaluations, {}, {}, options).estimates[0], "reader_accuracy")
                .standard_error;
  };
  EXPECT_GT(error(true), 1.1 * error(false));
}

TEST(Bootstrap, UnanimousAnnotatorsLeaveNothingToRedraw) {
  Problem data = problem(9, 200, 3, 4);
  for (std::size_t i = 0; i < 200; ++i) {
    for (std::size_t k = 0; k < 3; ++k) data.counts(i, k) = k == i % 3 ? 4.0 : 0.0;
  }
  const std::vector<Evaluation> evaluations{data.evaluate(kKeep)};
  BootstrapOptions options{.resamples = 50};
  const BootstrapResult plain = bootstrap(evaluations, {}, {}, options);
  options.annotators = true;
  const BootstrapResult redrawn = bootstrap(evaluations, {}, {}, options);
  for (std::size_t m = 0; m < plain.estimates[0].size(); ++m) {
    const Estimate &a = plain.estimates[0][m], &b = redrawn.estimates[0][m];
    if (!a.low) continue;
    // A row drawn twice is added twice in float64 here, once with weight 2 in float32 there.
    EXPECT_NEAR(*a.low, *b.low, 1e-6) << a.name;
    EXPECT_NEAR(*a.high, *b.high, 1e-6) << a.name;
  }
}

TEST(Bootstrap, RefusesWhatMakesNoSense) {
  const Problem data = problem(10, 50, 3, 5);
  const std::vector<Evaluation> kept{data.evaluate(kKeep)};
  const std::vector<Evaluation> others{data.evaluate(kKeep), problem(11, 50, 3, 5).evaluate(kKeep)};
  const std::vector<std::uint32_t> short_groups(49);
  EXPECT_THROW(bootstrap({}, {}, {}), Error);
  EXPECT_THROW(bootstrap(std::vector{data.evaluate()}, {}, {}), Error);
  EXPECT_THROW(bootstrap(others, {}, {}), Error);
  EXPECT_THROW(bootstrap(kept, short_groups, {}), Error);
  EXPECT_THROW(bootstrap(kept, {}, kBoth), Error);
  EXPECT_THROW(bootstrap(kept, {}, {}, {.resamples = 1}), Error);
  EXPECT_THROW(bootstrap(kept, {}, {}, {.level = 1.0}), Error);
  EXPECT_THROW(bootstrap(kept, {}, {}, {.kind = IntervalKind::studentised, .annotators = true}),
               Error);
  EXPECT_THROW(bootstrap(kept, {}, {}, {.progress = [](double) { return false; }}), Error);
}

TEST(Bootstrap, SharesOfUnknownNumbersCannotBeRedrawn) {
  Problem data = problem(12, 50, 3, 5);
  for (std::size_t i = 0; i < 50; ++i) {
    for (double& c : data.counts.row(i)) c /= 5.0;
  }
  const std::vector<Evaluation> evaluations{data.evaluate(kKeep)};
  EXPECT_NO_THROW(bootstrap(evaluations, {}, {}, {.resamples = 5}));
  try {
    bootstrap(evaluations, {}, {}, {.resamples = 5, .annotators = true});
    FAIL() << "expected an error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::evidence);
    EXPECT_FALSE(error.hint().empty());
  }
}

TEST(Bootstrap, KeptRowsOutliveTheVotes) {
  std::vector<Evaluation> evaluations;
  {
    const Problem data = problem(13, 60, 3, 5);
    const Votes votes = data.votes();
    evaluations.push_back(evaluate(data.p.view(), votes, kKeep));
  }
  EXPECT_NO_THROW(bootstrap(evaluations, {}, {}, {.resamples = 5, .annotators = true}));
}

}  // namespace
}  // namespace credence
