// What must hold between metrics, and between a problem and its rearrangements.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "credence/error.hpp"
#include "samples.hpp"

namespace credence {
namespace {

using samples::expect_same_bits;
using samples::Problem;
using samples::problem;

/// Sums of at most a few thousand terms of order 1, in another order.
constexpr double kReordered = 1e-12;

void expect_near(const Evaluation& a, const Evaluation& b, double tolerance,
                 std::string_view except = {}) {
  for (std::size_t i = 0; i < a.metrics.size(); ++i) {
    if (a.metrics[i].name == except) continue;
    if (metric_table()[i].monte_carlo) continue;  // a draw belongs to a row and an order of classes
    ASSERT_EQ(a.metrics[i].value.has_value(), b.metrics[i].value.has_value());
    if (a.metrics[i].value) {
      EXPECT_NEAR(*a.metrics[i].value, *b.metrics[i].value, tolerance) << a.metrics[i].name;
    }
  }
}

TEST(MetricLaws, BlockSizesChangeNoBit) {
  const Problem data = problem(11, 2500, 4, 6);
  const Votes votes = data.votes();
  const Evaluation whole = evaluate(data.p.view(), votes);
  for (const std::size_t block : {1U, 7U, 1024U}) {
    Evaluator evaluator(votes);
    for (std::size_t i = 0; i < data.p.rows(); i += block) {
      evaluator.add(data.p.view().block(i, std::min<std::size_t>(block, data.p.rows() - i)));
    }
    expect_same_bits(evaluator.finish(), whole);
  }
}

TEST(MetricLaws, PermutingClassesChangesNothing) {
  const Problem data = problem(12, 800, 5, 7);
  const std::size_t to[] = {3, 0, 4, 1, 2};
  Problem moved = data;
  for (std::size_t i = 0; i < data.p.rows(); ++i) {
    for (std::size_t k = 0; k < 5; ++k) {
      moved.p(i, to[k]) = data.p(i, k);
      moved.counts(i, to[k]) = data.counts(i, k);
    }
  }
  // Tied votes go to the lowest index, which a permutation moves: drop those rows.
  std::vector<std::size_t> keep;
  for (std::size_t i = 0; i < data.p.rows(); ++i) {
    auto row = data.counts.row(i);
    const double most = *std::max_element(row.begin(), row.end());
    if (std::count(row.begin(), row.end(), most) == 1) keep.push_back(i);
  }
  const auto select = [&](const Problem& from) {
    Problem to_rows{Matrix<double>(keep.size(), 5), Matrix<double>(keep.size(), 5)};
    for (std::size_t j = 0; j < keep.size(); ++j) {
      std::ranges::copy(from.p.row(keep[j]), to_rows.p.row(j).begin());
      std::ranges::copy(from.counts.row(keep[j]), to_rows.counts.row(j).begin());
    }
    return to_rows;
  };
  ASSERT_GT(keep.size(), 600U);
  expect_near(select(moved).evaluate(), select(data).evaluate(), kReordered);
}

TEST(MetricLaws, PermutingRowsChangesNothing) {
  const Problem data = problem(13, 700, 3, 5);
  Problem moved = data;
  for (std::size_t i = 0; i < 700; ++i) {
    std::ranges::copy(data.p.row(i), moved.p.row((i * 3) % 700).begin());
    std::ranges::copy(data.counts.row(i), moved.counts.row((i * 3) % 700).begin());
  }
  expect_near(moved.evaluate(), data.evaluate(), kReordered);
}

TEST(MetricLaws, DuplicatingTheDataChangesOnlyWhatDependsOnItsSize) {
  const Problem once = problem(14, 600, 3, 5);
  Problem twice{Matrix<double>(1200, 3), Matrix<double>(1200, 3)};
  for (std::size_t i = 0; i < 1200; ++i) {
    std::ranges::copy(once.p.row(i % 600), twice.p.row(i).begin());
    std::ranges::copy(once.counts.row(i % 600), twice.counts.row(i).begin());
  }
  const Evaluation a = once.evaluate(), b = twice.evaluate();
  for (const Metric& metric : metric_table()) {
    const auto name = metric.name;
    if (name == "ece_floor") {  // noise shrinks with the square root of the size
      EXPECT_NEAR(*a[name], std::numbers::sqrt2 * *b[name], kReordered);
    } else if (name.ends_with("_true_exact")) {
      EXPECT_GT(*a[name], *b[name]);
    } else if (metric.monte_carlo) {
      EXPECT_NE(*a[name], *b[name]);  // the second copy has draws of its own
    } else if (name == "ece2_debiased") {
      EXPECT_NE(*a[name], *b[name]);
    } else {
      EXPECT_NEAR(*a[name], *b[name], kReordered) << name;
    }
  }
}

TEST(MetricLaws, UnanimousAnnotatorsMakeVotedAndExpectedErrorsEqual) {
  Problem data = problem(15, 500, 4, 1);
  for (std::size_t i = 0; i < 500; ++i) {
    for (double& c : data.counts.row(i)) c *= 3.0;
  }
  const Evaluation result = data.evaluate();
  EXPECT_EQ(result["ece_voted"], result["ece_expected"]);
  EXPECT_EQ(result["accuracy"], result["reader_accuracy"]);
  EXPECT_NEAR(*result["ece_true_exact"], *result["ece_expected"], kReordered);
  EXPECT_EQ(result["ece_floor"], 0.0);
  EXPECT_EQ(result["brier"], result["brier_reader"]);
  EXPECT_EQ(result["brier"], result["brier_unbiased"]);
  EXPECT_EQ(result["annotator_disagreement"], 0.0);
  EXPECT_EQ(result["nll"], result["kl"]);
}

TEST(MetricLaws, ScalingAllVotesKeepsWhatDependsOnSharesOnly) {
  Problem data = problem(16, 300, 3, 4), scaled = data;
  for (std::size_t i = 0; i < 300; ++i) {
    for (double& c : scaled.counts.row(i)) c *= 8.0;
  }
  const Evaluation a = data.evaluate(), b = scaled.evaluate();
  for (const Metric& metric : metric_table()) {
    if (metric.name == "brier_unbiased" || metric.name == "annotator_disagreement") continue;
    EXPECT_EQ(a[metric.name], b[metric.name]) << metric.name;
  }
}

TEST(MetricLaws, TrueErrorLiesBetweenTheBoundsThatMeanAndVarianceGive) {
  // Jensen: E|C - X| >= |C - EX|. Triangle and Cauchy-Schwarz: E|C - X| <= |C - EX| + sd(X).
  for (std::uint64_t seed = 20; seed < 30; ++seed) {
    const Evaluation result = problem(seed, 400, 3, 5).evaluate();
    const double expected = *result["ece_expected"], exact = *result["ece_true_exact"];
    EXPECT_GE(exact, expected - kReordered);
    EXPECT_LE(exact,
              expected + std::sqrt(std::numbers::pi / 2.0) * *result["ece_floor"] + kReordered);
  }
}

TEST(MetricLaws, ExactTrueErrorsAreMeansOverAllDrawsOfOneAnnotator) {
  // Three classes, six rows, three votes: 3^6 equally likely draws, scored one by one.
  const Problem data = problem(31, 6, 3, 3);
  double mean = 0.0, equally_filled = 0.0, classwise = 0.0;
  for (std::size_t draw = 0; draw < 729; ++draw) {
    Problem drawn = data;
    for (std::size_t i = 0, rest = draw; i < 6; ++i, rest /= 3) {
      double position = static_cast<double>(rest % 3);
      bool taken = false;
      for (std::size_t k = 0; k < 3; ++k) {
        const double c = data.counts(i, k);
        drawn.counts(i, k) = !taken && position < c ? 1.0 : 0.0;
        taken = taken || position < c;
        position -= c;
      }
    }
    const Evaluation one = drawn.evaluate();
    mean += *one["ece_voted"] / 729.0;
    equally_filled += *one["aece_expected"] / 729.0;
    classwise += *one["cwece_expected"] / 729.0;
  }
  const Evaluation exact = data.evaluate();
  EXPECT_NEAR(*exact["ece_true_exact"], mean, kReordered);
  EXPECT_NEAR(*exact["aece_true_exact"], equally_filled, kReordered);
  EXPECT_NEAR(*exact["cwece_true_exact"], classwise, kReordered);
}

TEST(MetricLaws, UnbiasedBrierAveragesToTheDistanceFromTheTrueDistribution) {
  // All 3^4 sequences of four annotators drawn from a known distribution, weighed by their chance.
  const double truth[] = {0.5, 0.3, 0.2};
  const Matrix<double> p({0.6, 0.3, 0.1}, 1, 3);
  double unbiased = 0.0, ceiling = 0.0, plain = 0.0;
  for (std::size_t sequence = 0; sequence < 81; ++sequence) {
    Matrix<double> counts(1, 3);
    double chance = 1.0;
    for (std::size_t v = 0, rest = sequence; v < 4; ++v, rest /= 3) {
      counts(0, rest % 3) += 1.0;
      chance *= truth[rest % 3];
    }
    const Evaluation result = evaluate(p.view(), Votes::from_counts(counts.view()));
    unbiased += chance * *result["brier_unbiased"];
    ceiling += chance * *result["annotator_disagreement"];
    plain += chance * *result["brier"];
  }
  EXPECT_NEAR(unbiased, 0.01 + 0.0 + 0.01, kReordered);
  EXPECT_NEAR(ceiling, 1.0 - (0.25 + 0.09 + 0.04), kReordered);
  EXPECT_NEAR(plain, 0.02 + 0.62 / 4.0, kReordered);  // the bias that is removed
}

TEST(MetricLaws, ReaderBrierIsTheUnbiasedOnePlusTheCeiling) {
  const Evaluation result = problem(33, 500, 4, 5).evaluate();
  EXPECT_NEAR(*result["brier_reader"],
              *result["brier_unbiased"] + *result["annotator_disagreement"], kReordered);
}

TEST(MetricLaws, DebiasedSquareAveragesToTheSquareOfTheTrueGap) {
  // One bin, all rows alike: confidence 0.7, true agreement 0.6, one annotator each; all 2^8
  // outcomes weighed by their chance.
  const std::size_t n = 8;
  Matrix<double> p(n, 2);
  for (std::size_t i = 0; i < n; ++i) p(i, 0) = 0.7, p(i, 1) = 0.3;
  double mean = 0.0;
  for (std::size_t outcome = 0; outcome < 256; ++outcome) {
    Matrix<double> counts(n, 2);
    double chance = 1.0;
    for (std::size_t i = 0; i < n; ++i) {
      const bool agrees = (outcome >> i & 1) != 0;
      counts(i, agrees ? 0 : 1) = 1.0;
      chance *= agrees ? 0.6 : 0.4;
    }
    mean += chance * *evaluate(p.view(), Votes::from_counts(counts.view()))["ece2_debiased"];
  }
  EXPECT_NEAR(mean, 0.01, kReordered);
}

TEST(MetricLaws, TheAnnotatorsOwnDistributionIsBest) {
  const Problem data = problem(34, 300, 3, 10);
  Problem perfect = data;
  for (std::size_t i = 0; i < 300; ++i) {
    for (std::size_t k = 0; k < 3; ++k) perfect.p(i, k) = data.counts(i, k) / 10.0;
  }
  const Evaluation best = perfect.evaluate(), other = data.evaluate();
  EXPECT_EQ(best["brier"], 0.0);
  EXPECT_NEAR(*best["kl"], 0.0, kReordered);
  EXPECT_EQ(best["pointwise"], 0.0);
  EXPECT_EQ(best["ece_expected"], 0.0);
  EXPECT_LT(*best["nll"], *other["nll"]);
  EXPECT_LT(*best["brier_reader"], *other["brier_reader"]);
}

TEST(MetricLaws, TheFreeFunctionIsTheReportedMetric) {
  const Problem data = problem(35, 1001, 3, 10);
  std::vector<double> confidence, agreement;
  for (std::size_t i = 0; i < data.p.rows(); ++i) {
    const auto row = data.p.row(i);
    const auto top = static_cast<std::size_t>(std::ranges::max_element(row) - row.begin());
    confidence.push_back(row[top]);
    agreement.push_back(data.counts(i, top) / 10.0);
  }
  // Bins are added in another order there, which costs a few units in the last place.
  EXPECT_DOUBLE_EQ(ece_expected(confidence, agreement), *data.evaluate()["ece_expected"]);
  agreement.pop_back();
  EXPECT_THROW(ece_expected(confidence, agreement), Error);
  EXPECT_THROW(ece_expected({}, {}), Error);
}

}  // namespace
}  // namespace credence
