// The calibration errors of the predicted class, computed without the other metrics.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "credence/metrics.hpp"
#include "errors.hpp"
#include "samples.hpp"

namespace credence {
namespace {

/// The sample with probabilities that float32 holds, in both precisions.
struct Both {
  samples::Problem data;
  Matrix<float> narrow;
};

Both both(std::size_t n, std::size_t classes, int voters) {
  Both out{samples::problem(3, n, classes, voters), Matrix<float>(n, classes)};
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < classes; ++k) {
      out.narrow(i, k) = static_cast<float>(out.data.p(i, k));
      out.data.p(i, k) = static_cast<double>(out.narrow(i, k));
    }
  }
  return out;
}

TEST(TopErrors, AreWhatTheEvaluatorGivesToTheLastBit) {
  for (const std::size_t classes : {2U, 10U, 37U}) {
    const Both sample = both(1003, classes, 5);
    for (const MetricOptions& options :
         {MetricOptions{}, MetricOptions{.bins = 7, .draws = 13, .seed = 9, .threads = 1}}) {
      const Evaluation all = sample.data.evaluate(options);
      const TopErrors top = top_errors(sample.narrow.view(), sample.data.votes(), options);
      EXPECT_EQ(top.ece_voted, all["ece_voted"]);
      EXPECT_EQ(top.ece_expected, all["ece_expected"]);
      EXPECT_EQ(top.ece_true, all["ece_true"]);
      EXPECT_EQ(top.ece_true_error, all.monte_carlo_error("ece_true"));
    }
  }
}

TEST(TopErrors, WithoutDrawsThereIsNothingDrawn) {
  const Both sample = both(50, 3, 4);
  const TopErrors top = top_errors(sample.narrow.view(), sample.data.votes(), {.draws = 0});
  EXPECT_FALSE(top.ece_true.has_value());
  EXPECT_FALSE(top.ece_true_error.has_value());
}

std::string refusal(Scores probabilities, const Votes& votes) {
  const Error error = test::error_of([&] { (void)top_errors(probabilities, votes); });
  EXPECT_EQ(error.code(), ErrorCode::data);
  return error.what();
}

TEST(TopErrors, WhatIsNoProbabilityIsNamedByRowAndColumn) {
  Both sample = both(50, 3, 4);
  const Votes votes = sample.data.votes();
  sample.narrow(7, 2) = -0.5f;
  EXPECT_THAT(refusal(sample.narrow.view(), votes), testing::HasSubstr("row 7, column 2"));
  sample.narrow(7, 2) = 0.9f;
  sample.narrow(7, 1) = 0.9f;
  EXPECT_THAT(refusal(sample.narrow.view(), votes), testing::HasSubstr("row 7: sum"));
  EXPECT_THAT(refusal(Matrix<float>(4, 3).view(), votes), testing::HasSubstr("4 x 3"));
}

}  // namespace
}  // namespace credence
