#include "experiment/loss_parts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numeric>

#include "synthetic.hpp"

namespace credence {
namespace {

using testing::HasSubstr;
using testing::SizeIs;
using testing_data::make_synthetic;
using testing_data::Synthetic;

CompareOptions loss_options(std::vector<std::string> methods) {
  CompareOptions options;
  options.methods = std::move(methods);
  options.bootstrap.resamples = 0;
  options.metrics.draws = 0;
  return options;
}

LossParts parts_of(const Dataset& data, std::vector<std::string> methods = {"auto", "slts"}) {
  return compare(data, loss_options(std::move(methods))).splits.front().loss_parts.value();
}

double binomial(int m, int c) {
  return std::exp(std::lgamma(m + 1.0) - std::lgamma(c + 1.0) - std::lgamma(m - c + 1.0));
}

TEST(LossParts, EntropyOfCountsHasTheExpectationThatItIsSaidToHave) {
  // Every outcome of m votes for one of two classes, weighted by its probability.
  for (const double p : {0.5, 0.8, 0.95}) {
    for (const int m : {2, 3, 7}) {
      double expected = 0.0, shares = 0.0;
      for (int c = 0; c <= m; ++c) {
        std::vector<std::uint32_t> classes;
        std::vector<double> weights;
        for (const int k : {0, 1}) {
          const int votes = k == 0 ? c : m - c;
          if (votes == 0) continue;
          classes.push_back(static_cast<std::uint32_t>(k));
          weights.push_back(votes);
        }
        const double chance = binomial(m, c) * std::pow(p, c) * std::pow(1.0 - p, m - c);
        expected += chance * experiment::counted_entropy({classes, weights});
        for (const double w : weights) shares -= chance * w / m * std::log(w / m);
      }
      double seen = 0.0;
      for (int v = 1; v < m; ++v) {
        seen += (p * std::pow(1.0 - p, v) + (1.0 - p) * std::pow(p, v)) / v;
      }
      const double entropy = -p * std::log(p) - (1.0 - p) * std::log(1.0 - p);
      EXPECT_NEAR(expected, seen, 1e-12) << p << " " << m;  // sums of 8 terms
      EXPECT_LT(expected, entropy);
      EXPECT_LT(shares, expected) << "nearer than the entropy of the shares";
    }
  }
}

TEST(LossParts, EntropyOfVeryManyVotesIsThatOfTheirShares) {
  const std::array<std::uint32_t, 2> classes{0, 1};
  const std::array<double, 2> few{100, 300};
  double direct = 0.0;
  for (const double c : few) {
    for (double j = c; j < 400; ++j) direct += c / 400 / j;
  }
  // 400 roundings against a series whose first missing term is below 1e-16.
  EXPECT_NEAR(experiment::counted_entropy({classes, few}), direct, 1e-14);
  const std::array<double, 2> many{1e12, 3e12};
  const double shares = -0.25 * std::log(0.25) - 0.75 * std::log(0.75);
  EXPECT_NEAR(experiment::counted_entropy({classes, many}), shares, 1e-11);  // less by about 1/m
}

TEST(LossParts, DisagreementOfCountsIsTheShareOfPairsThatDiffer) {
  const std::array<std::uint32_t, 3> classes{0, 1, 4};
  const std::array<double, 3> weights{3, 1, 1};
  // Of 10 pairs of voters, 3 agree.
  EXPECT_DOUBLE_EQ(experiment::counted_disagreement({classes, weights}), 0.7);
}

TEST(LossParts, AddUpToTheLossThatIsReported) {
  const Dataset data = make_synthetic(900, 3).data;
  const Comparison found = compare(data, loss_options({"auto", "slts"}));
  const SplitResult& split = found.splits.front();
  const LossParts& parts = split.loss_parts.value();
  ASSERT_EQ(parts.problem, "");
  EXPECT_TRUE(parts.corrected);
  EXPECT_EQ(parts.rows_with_two_votes, 450U);
  ASSERT_THAT(parts.metrics, SizeIs(2));
  for (const LossSplit& metric : parts.metrics) {
    EXPECT_EQ(metric.methods.front().method, "uncalibrated");
    ASSERT_GE(metric.methods.size(), 2U);
    for (const MethodLoss& method : metric.methods) {
      const double sum =
          metric.disagreement->value + method.calibration->value + metric.model.value;
      // Means of 450 rows, each added up in an order of its own.
      EXPECT_NEAR(sum, method.total->value, 1e-12);
      EXPECT_NEAR(method.total->value, *split.method(method.method).evaluation[metric.metric],
                  1e-12);
    }
    EXPECT_LT(*metric.plug_in, metric.disagreement->value);
  }
  EXPECT_NEAR(parts.metrics[1].disagreement->value,
              *split.methods.front().evaluation["annotator_disagreement"], 1e-12);
  EXPECT_EQ(parts, parts_of(data)) << "the same twice";
}

/// Scores that are the logarithms of the very distribution votes are drawn from.
Dataset perfect_model(std::size_t rows, int votes, double sharpness = 1.0) {
  constexpr std::size_t kClasses = 3;
  Synthetic made = make_synthetic(rows, kClasses, votes, sharpness);
  Matrix<float> scores(rows, kClasses);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t k = 0; k < kClasses; ++k) {
      scores(i, k) = static_cast<float>(sharpness * 1.5 * testing_data::normal(1, i, k));
    }
  }
  std::vector<std::size_t> all(rows);
  std::iota(all.begin(), all.end(), std::size_t{0});
  return make_dataset(scores.view(), ScoreKind::logits, made.data.votes).select(all);
}

TEST(LossParts, APerfectModelLosesNothingButTheDisagreement) {
  const LossParts parts = parts_of(perfect_model(6000, 40));
  ASSERT_EQ(parts.problem, "");
  for (const LossSplit& metric : parts.metrics) {
    const MethodLoss& model = metric.methods.front();
    // Below 0 by what maps lose that have nothing to learn, here less than a hundredth of the loss.
    EXPECT_NEAR(model.calibration->value, 0.0, 0.01 * model.total->value) << metric.metric;
    // Four standard errors, and for nll what 40 votes cannot show.
    EXPECT_NEAR(metric.model.value, 0.0,
                4.0 * *metric.model.standard_error + 0.01 * model.total->value)
        << metric.metric;
  }
}

TEST(LossParts, AnOverconfidentModelLosesByCalibrationWhatATemperatureGivesBack) {
  const LossParts sharp = parts_of(perfect_model(4000, 40, 3.0));
  const LossSplit& nll = sharp.metrics.front();
  EXPECT_GT(nll.methods[0].calibration->value, 10.0 * *nll.methods[0].calibration->standard_error);
  EXPECT_NEAR(nll.methods[1].calibration->value, 0.0, 0.01 * nll.methods[1].total->value);
  const LossSplit plain = parts_of(perfect_model(4000, 40)).metrics.front();
  EXPECT_NEAR(nll.model.value, plain.model.value, 0.01 * nll.methods[1].total->value);
}

TEST(LossParts, SayWhyTheyAreNotThere) {
  const Dataset data = make_synthetic(300, 3).data;
  EXPECT_THAT(parts_of(data, {"slts"}).problem, HasSubstr("auto"));
}

TEST(LossParts, OneVoteEachCannotTellDisagreementFromAWorseModel) {
  const LossParts parts = parts_of(make_synthetic(600, 3, 1).data, {"auto", "ts"});
  ASSERT_EQ(parts.problem, "");
  const LossSplit& nll = parts.metrics.front();
  EXPECT_FALSE(nll.disagreement);
  EXPECT_NEAR(nll.methods[0].calibration->value + nll.model.value, nll.methods[0].total->value,
              1e-12);
}

TEST(LossParts, RowsWithOneVoteAreSpokenForByTheOthers) {
  const Synthetic made = make_synthetic(800, 3);
  Matrix<double> counts(800, 3);
  for (std::size_t i = 0; i < 800; ++i) {
    const auto voted = made.data.votes.voted(i);
    for (std::size_t k = 0; k < 3; ++k) {
      counts(i, k) = i % 2 == 0 ? made.counts(i, k) : k == voted ? 1.0 : 0.0;
    }
  }
  Dataset data = made.data;
  data.votes = Votes::from_counts(counts.view());
  const Comparison found = compare(data, loss_options({"auto"}));
  const SplitResult& split = found.splits.front();
  const LossSplit& brier = split.loss_parts->metrics[1];
  // The metric of that name is a mean over rows with two votes or more, too.
  EXPECT_NEAR(brier.disagreement->value, *split.methods[0].evaluation["annotator_disagreement"],
              1e-12);
}

TEST(LossParts, GroupsWidenTheStandardErrors) {
  Dataset data = make_synthetic(900, 3).data;
  // Rows of a group are alike: each stands there three times.
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < 900; ++i) rows.push_back(i / 3);
  data = data.select(rows);
  CompareOptions options = loss_options({"auto"});
  for (std::size_t i = 0; i < 900; i += 6) {
    for (std::size_t j = i; j < i + 3; ++j) options.calibration_rows.push_back(j);
  }
  const auto error = [&](const Dataset& from) {
    const Comparison found = compare(from, options);
    return *found.splits.front().loss_parts->metrics.front().disagreement->standard_error;
  };
  const double alone = error(data);
  for (std::size_t i = 0; i < 900; ++i) data.groups.push_back(static_cast<std::uint32_t>(i / 3));
  // Three equal rows are one unit: the standard error of 150 units, not of 450.
  EXPECT_NEAR(error(data) / alone, std::sqrt(3.0 * 449.0 / 450.0 * 150.0 / 149.0), 1e-9);
}

}  // namespace
}  // namespace credence
