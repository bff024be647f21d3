#include "experiment/diagrams.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "synthetic.hpp"

namespace credence::experiment {
namespace {

/// Two classes; the first is predicted with confidence `confidence[i]`, `votes[i]` are counts.
SplitResult one_method(const std::vector<double>& confidence, const Votes& votes) {
  Matrix<double> p(confidence.size(), 2);
  for (std::size_t i = 0; i < confidence.size(); ++i) {
    p(i, 0) = confidence[i];
    p(i, 1) = 1.0 - confidence[i];
  }
  SplitResult split;
  split.methods.resize(1);
  split.methods[0].name = "uncalibrated";
  split.methods[0].evaluation = evaluate(p.view(), votes, {.bins = 10, .keep_rows = true});
  return split;
}

Votes counts(const std::vector<std::pair<double, double>>& rows) {
  Matrix<double> values(rows.size(), 2);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    values(i, 0) = rows[i].first;
    values(i, 1) = rows[i].second;
  }
  return Votes::from_counts(values.view());
}

Dataset test_rows(const Votes& votes, std::vector<std::uint32_t> groups = {}) {
  Dataset data;
  data.votes = votes;
  data.groups = std::move(groups);
  return data;
}

TEST(Diagrams, SpreadsOfABinAreThoseOfItsExamples) {
  const Votes votes = counts({{3, 1}, {2, 2}, {4, 6}, {1, 0}});
  SplitResult split = one_method({0.75, 0.8, 0.72, 0.95}, votes);
  add_diagrams(split, test_rows(votes), true, 1);
  const std::vector<BinSpread>& bins = split.methods[0].diagrams.reliability;
  ASSERT_EQ(bins.size(), 10u);
  // Agreements 0.75, 0.5 and 0.4: squared deviations from 0.55 sum to 0.065.
  EXPECT_NEAR(*bins[7].agreement_error, std::sqrt(0.065 / 2 / 3), 1e-15);
  // The third is voted otherwise; 2 : 2 is a tie, which goes to the first class.
  EXPECT_NEAR(*bins[7].accuracy_error, std::sqrt((1.0 / 9 + 1.0 / 9 + 4.0 / 9) / 2 / 3), 1e-15);
  const double a = 0.75 * 0.25, b = 0.8 * 0.2, c = 0.72 * 0.28;
  EXPECT_NEAR(*bins[7].agreement_noise, std::sqrt(a / 4 + b / 4 + c / 10) / 3, 1e-15);
  EXPECT_NEAR(*bins[7].accuracy_noise, std::sqrt(a + b + c) / 3, 1e-15);
  EXPECT_FALSE(bins[9].agreement_error) << "one example has no spread";
  EXPECT_NEAR(*bins[9].agreement_noise, std::sqrt(0.95 * 0.05), 1e-15);
  EXPECT_FALSE(bins[0].agreement_noise) << "an empty bin has none";
}

TEST(Diagrams, ExamplesOfAGroupCountAsOneUnitOfSpread) {
  // Two groups of two equal examples: as uncertain as two examples, not as four.
  const Votes votes = counts({{3, 1}, {3, 1}, {2, 2}, {2, 2}});
  SplitResult split = one_method({0.75, 0.75, 0.76, 0.76}, votes);
  add_diagrams(split, test_rows(votes, {0, 0, 1, 1}), true, 1);
  const Votes half = counts({{3, 1}, {2, 2}});
  SplitResult alone = one_method({0.75, 0.76}, half);
  add_diagrams(alone, test_rows(half), true, 1);
  const MethodResult &grouped = split.methods[0], &single = alone.methods[0];
  EXPECT_NEAR(*grouped.diagrams.reliability[7].agreement_error,
              *single.diagrams.reliability[7].agreement_error, 1e-15);
  for (const MethodResult* one : {&grouped, &single}) {
    for (const EntropyBin& bin : one->evaluation.pointwise_by_entropy) {
      EXPECT_TRUE(std::isnan(bin.standard_error)) << "a bin of one unit shows no spread";
    }
  }
}

TEST(Diagrams, SharesHaveNoNoiseBandBecauseNobodyKnowsHowManyVoted) {
  const Votes votes = counts({{0.7, 0.3}, {0.5, 0.5}});
  SplitResult split = one_method({0.75, 0.8}, votes);
  add_diagrams(split, test_rows(votes), true, 1);
  EXPECT_FALSE(split.methods[0].diagrams.reliability[7].agreement_noise);
  EXPECT_TRUE(split.methods[0].diagrams.reliability[7].accuracy_noise);
  EXPECT_TRUE(vote_diagrams(votes).votes_histogram.empty());
}

TEST(Diagrams, OfAComparisonCountEveryExampleAndChangeWithNoThread) {
  const auto made = testing_data::make_synthetic(300, 3);
  CompareOptions options;
  options.methods = {"slts", "ir-soft"};
  options.bootstrap.resamples = 0;
  options.metrics.draws = 2;
  options.seeds = {1, 2};
  options.threads = 1;
  const Comparison one = compare(made.data, options);
  options.threads = 5;
  const Comparison five = compare(made.data, options);
  for (std::size_t j = 0; j < one.splits[0].methods.size(); ++j) {
    const MethodResult &a = one.splits[0].methods[j], &b = five.splits[0].methods[j];
    ASSERT_TRUE(a.diagrams.error_density);
    EXPECT_EQ(a.diagrams.error_density->counts, b.diagrams.error_density->counts);
    const auto& cells = a.diagrams.error_density->counts;
    EXPECT_EQ(std::accumulate(cells.begin(), cells.end(), std::size_t{0}), a.evaluation.rows);
    std::size_t mapped = 0;
    double last = 0.0;
    for (std::size_t m = 0; m < a.diagrams.confidence_map.size(); ++m) {
      const ConfidenceMapBin& bin = a.diagrams.confidence_map[m];
      EXPECT_EQ(bin.after, b.diagrams.confidence_map[m].after);
      EXPECT_GT(bin.before, last);
      EXPECT_LE(bin.low, bin.high);
      if (a.name == "uncalibrated") {
        EXPECT_EQ(bin.before, bin.after);
      }
      last = bin.before;
      mapped += bin.count;
    }
    EXPECT_EQ(mapped, a.evaluation.rows);
    EXPECT_FALSE(one.splits[1].methods[j].diagrams.error_density) << "the first split alone";
    EXPECT_FALSE(one.splits[1].methods[j].diagrams.reliability.empty());
  }
}

TEST(VoteDiagrams, CountExamplesAndShareClasses) {
  const VoteDiagrams d = vote_diagrams(counts({{3, 1}, {4, 0}, {1, 3}, {0, 2}}));
  EXPECT_EQ(d.entropy_histogram.front(), 2u) << "two are unanimous";
  EXPECT_EQ(std::accumulate(d.entropy_histogram.begin(), d.entropy_histogram.end(), 0u), 4u);
  EXPECT_EQ(d.votes_histogram, (std::vector<std::pair<double, std::size_t>>{{2, 1}, {4, 3}}));
  EXPECT_EQ(d.annotator_shares, (std::vector<double>{0.5, 0.5}));
  EXPECT_EQ(d.confusion, (std::vector<double>{0.875, 0.125, 0.125, 0.875}));
  EXPECT_EQ(d.confusion_rows, (std::vector<std::size_t>{2, 2}));
}

TEST(VoteDiagrams, ManyNumbersOfVotesBecomeFiftyRanges) {
  std::vector<std::pair<double, double>> rows;
  for (int m = 1; m <= 1000; ++m) rows.emplace_back(m, 0);
  const auto histogram = vote_diagrams(counts(rows)).votes_histogram;
  ASSERT_EQ(histogram.size(), 50u);
  std::size_t total = 0;
  for (const auto& [votes, examples] : histogram) total += examples;
  EXPECT_EQ(total, 1000u);
}

}  // namespace
}  // namespace credence::experiment
