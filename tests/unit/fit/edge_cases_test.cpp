// Data on which nothing is well defined still end with a defined result or a clear report.
#include <gtest/gtest.h>

#include <cmath>

#include "credence/error.hpp"
#include "credence/fit.hpp"
#include "synthetic.hpp"

namespace credence {
namespace {

/// Fits every method the evidence allows and checks that what comes out is a probability.
void expect_defined(const Matrix<float>& scores, const Votes& votes) {
  const Dataset data = make_dataset(scores.view(), ScoreKind::logits, votes);
  FitOptions options;
  options.max_passes = 60;
  for (const std::string_view method : methods_allowed_by(data.evidence())) {
    SCOPED_TRACE(method);
    const Calibrator calibrator = fit(parse_method(method), data, options);
    for (const double theta : calibrator.stages.front().theta) EXPECT_TRUE(std::isfinite(theta));
    Matrix<double> p(scores.rows(), scores.cols());
    calibrator.apply(scores.view(), p.view());
    for (std::size_t i = 0; i < p.rows(); ++i) {
      double sum = 0.0;
      for (const double x : p.row(i)) {
        EXPECT_GE(x, 0.0);
        sum += x;
      }
      EXPECT_NEAR(sum, 1.0, 1e-12);
    }
    const FitReport& report = calibrator.stages.front().report;
    const bool explained = report.stop == Stop::converged || report.stop == Stop::direct ||
                           report.stop == Stop::rounding_floor || !report.notes.empty();
    EXPECT_TRUE(explained) << to_string(report.stop);
  }
}

Votes votes_of(const Matrix<double>& counts) { return Votes::from_counts(counts.view()); }

TEST(EdgeCases, SeparableDataReachABoundOrReportThatThereIsNoMinimum) {
  Matrix<float> scores(60, 3);
  Matrix<double> counts(60, 3);
  for (std::size_t i = 0; i < 60; ++i) {
    scores(i, i % 3) = 1.0f + 0.01f * float(i);
    counts(i, i % 3) = 5.0;
  }
  expect_defined(scores, votes_of(counts));
  const Dataset data = make_dataset(scores.view(), ScoreKind::logits, votes_of(counts));
  const Calibrator ts = fit(parse_method("ts"), data);
  EXPECT_EQ(ts.stages.front().report.stop, Stop::at_bound);
  EXPECT_DOUBLE_EQ(ts.temperature(), kMinTemperature);
  EXPECT_EQ(fit(parse_method("platt"), data).stages.front().report.stop, Stop::no_minimiser);
}

TEST(EdgeCases, OneClassOnly) {
  auto set = testing_data::make_synthetic(80, 3);
  for (std::size_t i = 0; i < 80; ++i) {
    for (std::size_t k = 0; k < 3; ++k) set.counts(i, k) = k == 1 ? 4.0 : 0.0;
  }
  expect_defined(set.scores, votes_of(set.counts));
}

TEST(EdgeCases, TwoClasses) {
  const auto set = testing_data::make_synthetic(100, 2);
  expect_defined(set.scores, votes_of(set.counts));
}

TEST(EdgeCases, OneExample) {
  const auto set = testing_data::make_synthetic(1, 4);
  expect_defined(set.scores, votes_of(set.counts));
}

TEST(EdgeCases, EveryVoteTied) {
  const auto set = testing_data::make_synthetic(50, 4);
  const Matrix<double> counts(50, 4, 2.0);
  const Votes votes = votes_of(counts);
  EXPECT_EQ(votes.ties(), 50U);
  expect_defined(set.scores, votes);
  // Uniform annotators: the best temperature is the largest.
  const Dataset data = make_dataset(set.scores.view(), ScoreKind::logits, votes);
  EXPECT_DOUBLE_EQ(fit(parse_method("slts"), data).temperature(), kMaxTemperature);
}

TEST(EdgeCases, EqualScoresSayNothingAndLeaveTheTemperatureAlone) {
  const Matrix<float> scores(40, 3, 2.0f);
  const auto set = testing_data::make_synthetic(40, 3);
  expect_defined(scores, votes_of(set.counts));
  const Dataset data = make_dataset(scores.view(), ScoreKind::logits, votes_of(set.counts));
  EXPECT_EQ(fit(parse_method("slts"), data).temperature(), 1.0);
}

TEST(EdgeCases, AThousandClassesOfWhichThreeAreEverUsed) {
  const std::size_t classes = 1000, rows = 64;
  Matrix<float> scores(rows, classes);
  Matrix<double> counts(rows, classes);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t k = 0; k < classes; ++k) {
      scores(i, k) = static_cast<float>(testing_data::normal(3, i, k));
    }
    scores(i, i % 3) += 4.0f;
    counts(i, i % 3) = 3.0;
    counts(i, (i / 3) % 3) += 2.0;
  }
  const Dataset data = make_dataset(scores.view(), ScoreKind::logits, votes_of(counts));
  FitOptions options;
  options.max_passes = 6;  // the point is that it ends well, not that it converges
  for (const char* method : {"slts", "vs", "soft-platt", "dirichlet-soft", "ir-soft"}) {
    SCOPED_TRACE(method);
    const Calibrator calibrator = fit(parse_method(method), data, options);
    Matrix<double> p(rows, classes);
    calibrator.apply(scores.view(), p.view());
    for (std::size_t i = 0; i < rows * classes; ++i) ASSERT_TRUE(std::isfinite(p.data()[i]));
  }
}

TEST(EdgeCases, MaskedClassesKeepProbabilityNearZero) {
  auto set = testing_data::make_synthetic(200, 4);
  for (std::size_t i = 0; i < 200; ++i) set.scores(i, 3) = -1e9f;
  Matrix<double> counts(200, 4);
  for (std::size_t i = 0; i < 200; ++i) counts(i, i % 3) = 2.0, counts(i, (i / 7) % 3) += 1.0;
  expect_defined(set.scores, votes_of(counts));
}

TEST(EdgeCases, EvidenceThatDoesNotSufficeNamesAMethodThatDoes) {
  const auto set = testing_data::make_synthetic(20, 3);
  const std::vector<std::uint32_t> labels(20, 1);
  const Dataset voted =
      make_dataset(set.scores.view(), ScoreKind::logits, Votes::from_labels(labels, 3));
  try {
    fit(parse_method("slts"), voted);
    FAIL() << "slts needs more than majority labels";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::evidence);
    EXPECT_NE(error.hint().find("ls-ts"), std::string::npos);
  }
}

TEST(EdgeCases, UnknownMethodsProposeTheNearest) {
  try {
    parse_method("slst");
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("did you mean 'slts'"), std::string::npos);
  }
}

TEST(EdgeCases, ProgressCanStopAFit) {
  const auto set = testing_data::make_synthetic(500, 4);
  FitOptions options;
  options.progress = [](const FitProgress& progress) { return progress.pass < 2; };
  EXPECT_THROW(fit(parse_method("dirichlet-soft"), set.data, options), Error);
  EXPECT_THROW(fit(parse_method("slts"), set.data, options), Error);
}

}  // namespace
}  // namespace credence
