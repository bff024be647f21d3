// The calibration errors of the predicted class, computed without the other metrics.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "credence/evaluate.hpp"
#include "errors.hpp"
#include "samples.hpp"

namespace credence {
namespace {

TEST(TopErrors, AreWhatTheEvaluatorGivesToTheLastBit) {
  for (const std::size_t classes : {2U, 10U, 37U}) {
    const samples::Problem sample = samples::problem(3, 1003, classes, 5);
    for (const MetricOptions& options :
         {MetricOptions{}, MetricOptions{.bins = 7, .draws = 13, .seed = 9, .threads = 1}}) {
      const Evaluation all = sample.evaluate(options);
      const TopErrors top = top_errors(sample.p.view(), sample.votes(), options);
      EXPECT_EQ(top.ece_voted, all["ece_voted"]);
      EXPECT_EQ(top.ece_expected, all["ece_expected"]);
      EXPECT_EQ(top.ece_true, all["ece_true"]);
      EXPECT_EQ(top.ece_true_error, all.monte_carlo_error("ece_true"));
    }
  }
}

TEST(TopErrors, DoNotDependOnHowRowsAreCutIntoBlocks) {
  const samples::Problem sample = samples::problem(3, 101, 4, 5);
  const Votes votes = sample.votes();
  const Rows p = sample.p.view();
  TopEvaluator pieces(votes);
  pieces.add(p.block(0, 1));
  pieces.add(p.block(1, 60));
  pieces.add(p.block(61, 40));
  EXPECT_EQ(pieces.finish().ece_true, top_errors(p, votes).ece_true);
}

TEST(TopErrors, WithoutDrawsThereIsNothingDrawn) {
  const samples::Problem sample = samples::problem(3, 50, 3, 4);
  const TopErrors top = top_errors(sample.p.view(), sample.votes(), {.draws = 0});
  EXPECT_FALSE(top.ece_true.has_value());
  EXPECT_FALSE(top.ece_true_error.has_value());
}

std::string refusal(Rows probabilities, const Votes& votes) {
  const Error error = test::error_of([&] { (void)top_errors(probabilities, votes); });
  EXPECT_EQ(error.code(), ErrorCode::data);
  return error.what();
}

TEST(TopErrors, WhatIsNoProbabilityIsNamedByRowAndColumn) {
  samples::Problem sample = samples::problem(3, 50, 3, 4);
  const Votes votes = sample.votes();
  const Matrix<double> good = sample.p;
  sample.p(7, 2) = -0.5;
  EXPECT_THAT(refusal(sample.p.view(), votes), testing::HasSubstr("row 7, column 2"));
  for (const std::size_t column : {0U, 2U}) {
    Matrix<double> p = good;
    p(7, column) = std::numeric_limits<double>::quiet_NaN();
    EXPECT_THAT(refusal(p.view(), votes), testing::HasSubstr(fmt::format("column {}", column)));
  }
  sample.p(7, 2) = 0.9;
  sample.p(7, 1) = 0.9;
  EXPECT_THAT(refusal(sample.p.view(), votes), testing::HasSubstr("row 7: sum"));
  EXPECT_THAT(refusal(good.view().block(0, 4), votes), testing::HasSubstr("have 4 rows"));
  EXPECT_THAT(refusal(Matrix<double>(50, 4).view(), votes), testing::HasSubstr("have 4 classes"));
}

}  // namespace
}  // namespace credence
