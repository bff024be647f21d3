// Metrics that draw an annotator for each example.
#include "metrics/numbers/monte_carlo.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "samples.hpp"

namespace credence {
namespace {

using samples::Problem;
using samples::problem;

constexpr const char* kDrawn[] = {"ece_true", "aece_true", "cwece_true"};

/// One draw at a time, in the most obvious way: the answer whose share of [0, 1) the draw falls in,
/// the predicted class first.
std::vector<std::size_t> drawn_labels(const Problem& data, std::uint64_t seed, std::size_t draw) {
  std::vector<std::size_t> labels;
  for (std::size_t i = 0; i < data.p.rows(); ++i) {
    const auto p = data.p.row(i);
    const auto counts = data.counts.row(i);
    const auto top = static_cast<std::size_t>(std::max_element(p.begin(), p.end()) - p.begin());
    double total = 0.0;
    for (const double c : counts) total += c;
    const std::uint32_t x =
        metrics::draw_bits(metrics::draw_key(seed, i), static_cast<std::uint32_t>(draw));
    const double u = static_cast<double>(x) * 0x1.0p-32;
    double below = counts[top] / total;
    std::size_t label = top;
    for (std::size_t k = 0; k < counts.size() && u >= below; ++k) {
      if (k == top || counts[k] == 0.0) continue;
      below += counts[k] / total;
      label = k;
    }
    labels.push_back(label);
  }
  return labels;
}

TEST(MonteCarlo, EveryDrawScoresTheDrawnLabelsAsIfTheyWereVotes) {
  const Problem data = problem(5, 300, 4, 5);
  constexpr int kDraws = 11;
  const Evaluation drawn = data.evaluate({.draws = kDraws, .seed = 7});
  double means[3] = {};
  for (std::size_t s = 0; s < kDraws; ++s) {
    Problem single{data.p, Matrix<double>(data.p.rows(), 4)};
    const auto labels = drawn_labels(data, 7, s);
    for (std::size_t i = 0; i < labels.size(); ++i) single.counts(i, labels[i]) = 1.0;
    const Evaluation scored = single.evaluate({.draws = 0});
    means[0] += *scored["ece_expected"] / kDraws;
    means[1] += *scored["aece_expected"] / kDraws;
    means[2] += *scored["cwece_expected"] / kDraws;
  }
  for (int m = 0; m < 3; ++m) {
    // Sums of a few hundred terms in another order.
    EXPECT_NEAR(*drawn[kDrawn[m]], means[m], 1e-12) << kDrawn[m];
  }
}

TEST(MonteCarlo, ThreadsChangeNoBit) {
  const Problem data = problem(6, 12'000, 3, 4);
  const Evaluation one = data.evaluate({.draws = 100, .threads = 1});
  const Evaluation seven = data.evaluate({.draws = 100, .threads = 7});
  for (const char* name : kDrawn) {
    EXPECT_EQ(one[name], seven[name]) << name;
    EXPECT_EQ(one.monte_carlo_error(name), seven.monte_carlo_error(name)) << name;
  }
}

TEST(MonteCarlo, EarlierDrawsDoNotDependOnHowManyFollow) {
  const Problem data = problem(7, 200, 3, 4);
  // The mean of 16 draws is that of the first 8 and the last 8; of 8 draws, the first alone.
  const double all = *data.evaluate({.draws = 16})["ece_true"];
  const double first = *data.evaluate({.draws = 8})["ece_true"];
  const double nine = *data.evaluate({.draws = 9})["ece_true"];
  const double ninth = 9.0 * nine - 8.0 * first;
  EXPECT_GE(ninth, 0.0);
  EXPECT_LE(ninth, 1.0);
  EXPECT_NE(all, first);
}

TEST(MonteCarlo, SeedsGiveOtherDraws) {
  const Problem data = problem(8, 200, 3, 4);
  EXPECT_NE(data.evaluate({.seed = 1})["ece_true"], data.evaluate({.seed = 2})["ece_true"]);
}

TEST(MonteCarlo, UnanimousVotesLeaveNothingToDraw) {
  const Problem data = problem(9, 200, 3, 1);
  const Evaluation scored = data.evaluate();
  // Exact up to the order of sums.
  EXPECT_NEAR(*scored["ece_true"], *scored["ece_voted"], 1e-13);
  EXPECT_NEAR(*scored["cwece_true"], *scored["cwece_expected"], 1e-13);
  for (const char* name : kDrawn) EXPECT_EQ(scored.monte_carlo_error(name), 0.0) << name;
}

TEST(MonteCarlo, WithoutDrawsThereIsNoValueAndAfterOneNoError) {
  const Problem data = problem(10, 100, 3, 4);
  for (const char* name : kDrawn) {
    EXPECT_FALSE(data.evaluate({.draws = 0})[name]) << name;
    const Evaluation once = data.evaluate({.draws = 1});
    EXPECT_TRUE(once[name]) << name;
    EXPECT_FALSE(once.monte_carlo_error(name)) << name;
  }
}

TEST(MonteCarlo, MeanOfManyDrawsIsTheExactExpectation) {
  const Problem data = problem(11, 400, 3, 5);
  const Evaluation scored = data.evaluate({.draws = 20'000});
  EXPECT_NEAR(*scored["ece_true"], *scored["ece_true_exact"],
              4.0 * *scored.monte_carlo_error("ece_true"));
}

}  // namespace
}  // namespace credence
