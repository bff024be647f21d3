// Scores that say with certainty what annotators deny: the loss is nearly linear there, plain
// Newton steps lead nowhere, and a fit that stays where it began must not call that the optimum.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "credence/error.hpp"
#include "credence/fit.hpp"
#include "synthetic.hpp"

namespace credence {
namespace {

struct Saturated {
  Matrix<float> scores;
  Dataset data;
};

/// 200 rows, 3 classes, votes [3, 2, 1] in every row.
Saturated scored_by(const std::function<float(std::size_t, std::size_t)>& score) {
  Saturated out{Matrix<float>(200, 3), {}};
  Matrix<double> counts(200, 3);
  for (std::size_t i = 0; i < 200; ++i) {
    for (std::size_t k = 0; k < 3; ++k) {
      out.scores(i, k) = score(i, k);
      counts(i, k) = 3.0 - static_cast<double>(k);
    }
  }
  out.data = make_dataset(out.scores.view(), ScoreKind::logits, Votes::from_counts(counts.view()));
  return out;
}

float noise(std::size_t i, std::size_t k) {
  return static_cast<float>(testing_data::normal(13, i, k));
}

/// Every row has the same votes, so the best affine maps ignore the scores: what is left is the
/// entropy of the annotators, and nothing (for hard targets) of the voted label.
void expect_the_optimum(const Dataset& data) {
  const double temperature = fit(parse_method("slts"), data).stages.front().report.loss;
  const double entropy =
      -(3.0 * std::log(3.0 / 6.0) + 2.0 * std::log(2.0 / 6.0) + std::log(1.0 / 6.0)) / 6.0;
  for (const char* method : {"soft-platt", "dirichlet-soft"}) {
    SCOPED_TRACE(method);
    const FitReport report = fit(parse_method(method), data).stages.front().report;
    EXPECT_LE(report.loss, temperature + 1e-9);
    // The matrix map pays a penalty of at most 1e-3 times the mean square of its three biases
    // (below 0.3) on the way to the entropy; 1e-9 is what fits promise.
    const bool penalised = std::string_view(method) == "dirichlet-soft";
    EXPECT_LE(report.loss, entropy + 1e-9 + (penalised ? 3e-4 : 0.0));
    EXPECT_GE(report.loss, entropy - 0.05);  // noise in 200 rows can be fitted a little
    EXPECT_TRUE(report.stop == Stop::converged || report.stop == Stop::rounding_floor)
        << to_string(report.stop);
    EXPECT_LT(report.gradient_norm, 1e-7);
  }
  for (const char* method : {"platt", "dirichlet-hard"}) {
    SCOPED_TRACE(method);
    const FitReport report = fit(parse_method(method), data).stages.front().report;
    const double simpler = fit(parse_method("ts"), data).stages.front().report.loss;
    EXPECT_LE(report.loss, simpler + 1e-9);
    EXPECT_LE(report.loss, 0.02);  // one label everywhere: only the penalty stands in the way of 0
  }
}

TEST(Saturated, AMaskedClassThatAnnotatorsChoseDoesNotKeepAFitAtItsStart) {
  const Saturated set =
      scored_by([](std::size_t i, std::size_t k) { return k == 2 ? -40.0f : noise(i, k); });
  expect_the_optimum(set.data);
}

TEST(Saturated, LogitsAroundTwoThousandDoNotKeepAFitAtItsStart) {
  const Saturated set =
      scored_by([](std::size_t i, std::size_t k) { return 2000.0f * noise(i, k); });
  expect_the_optimum(set.data);
}

TEST(Saturated, ScoresThatTurnIntoNaNDuringAFitAreAnErrorAndNoCalibrator) {
  for (const char* method : {"slts", "vs", "soft-platt", "dirichlet-soft", "ats", "ir-soft"}) {
    SCOPED_TRACE(method);
    Saturated set = scored_by(noise);
    // A dataset is checked when it is made; a mapped file can change afterwards.
    set.scores(77, 1) = std::numeric_limits<float>::quiet_NaN();
    try {
      const Calibrator calibrator = fit(parse_method(method), set.data);
      for (const double x : calibrator.stages.front().theta) EXPECT_TRUE(std::isfinite(x));
      EXPECT_TRUE(std::isfinite(calibrator.stages.front().report.loss));
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::data);
      EXPECT_NE(std::string(error.what()).find("the fit of the map"), std::string::npos);
    }
  }
}

TEST(Saturated, AStartWithOtherStagesOrClassesIsRefused) {
  const Saturated set = scored_by(noise);
  const Calibrator one = fit(parse_method("slts"), set.data);
  FitOptions options;
  options.start = &one;
  EXPECT_THROW(fit(parse_method("slts then ir-soft"), set.data, options), Error);
  EXPECT_THROW(fit(parse_method("vs"), set.data, options), Error);
  const auto four = testing_data::make_synthetic(50, 4);
  EXPECT_THROW(fit(parse_method("slts"), four.data, options), Error);
  EXPECT_NO_THROW(fit(parse_method("slts"), set.data, options));
}

}  // namespace
}  // namespace credence
