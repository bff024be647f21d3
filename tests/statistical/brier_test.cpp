// Which Brier score estimates the distance to all possible annotators, and which one does not.
#include <gtest/gtest.h>

#include <cmath>

#include "statistical/simulated.hpp"

namespace credence {
namespace {

using simulated::draw;
using simulated::Sample;

class BrierBias : public testing::TestWithParam<int> {};

TEST_P(BrierBias, IsAbsentFromTheUnbiasedScoreOnly) {
  constexpr int kRepetitions = 400;
  constexpr std::size_t kRows = 200;
  double sums[2] = {}, squares[2] = {};
  for (int repetition = 0; repetition < kRepetitions; ++repetition) {
    const Sample sample =
        draw({.votes = GetParam()}, kRows, 7000 + static_cast<std::uint64_t>(repetition));
    double distance = 0.0;
    for (std::size_t i = 0; i < kRows * sample.p.cols(); ++i) {
      const double gap = sample.p.data()[i] - sample.truth.data()[i];
      distance += gap * gap;
    }
    distance /= static_cast<double>(kRows);
    const Evaluation scored = evaluate(sample.p.view(), sample.votes(), {.draws = 0});
    const double errors[] = {*scored["brier_unbiased"] - distance, *scored["brier"] - distance};
    for (int s = 0; s < 2; ++s) {
      sums[s] += errors[s];
      squares[s] += errors[s] * errors[s];
    }
  }
  const auto z = [&](int s) {
    const double mean = sums[s] / kRepetitions;
    return mean / std::sqrt((squares[s] / kRepetitions - mean * mean) / (kRepetitions - 1));
  };
  EXPECT_LT(std::abs(z(0)), 3.0);
  EXPECT_GT(z(1), 5.0);
}

INSTANTIATE_TEST_SUITE_P(Votes, BrierBias, testing::Values(2, 3, 5));

}  // namespace
}  // namespace credence
