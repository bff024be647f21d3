// A ridge map with a table of what annotators say: derivatives, what the fit promises, and a table
// that is known.
#include <gtest/gtest.h>

#include <cmath>

#include "credence/fit.hpp"
#include "errors.hpp"
#include "fit/search/local_objective.hpp"
#include "map/all_maps.hpp"
#include "synthetic.hpp"

namespace credence {
namespace {

using testing_data::make_synthetic;
using testing_data::normal;
using testing_data::Synthetic;

template <class M>
class Channel : public testing::Test {};
using Channels = testing::Types<ChannelLog, ChannelBoth>;
TYPED_TEST_SUITE(Channel, Channels);

TYPED_TEST(Channel, GradientMatchesCentralDifferences) {
  constexpr std::size_t kClasses = 4;
  const Synthetic set = make_synthetic(150, kClasses);
  const Targets targets = make_target(Annotators{}, set.data, 0);
  const FitOptions options;
  fit_detail::LocalObjective objective(TypeParam{}, set.data.scores, targets, options);
  std::vector<double> theta = map::Math<TypeParam>::identity(kClasses);
  for (std::size_t j = 0; j < theta.size(); ++j) theta[j] += 0.1 + 0.1 * std::abs(normal(9, j, 0));
  const auto here = objective.evaluate(theta, false);
  // Step h: truncation h^2 and rounding 1e-16/h balance near 1e-5, each then below 1e-9.
  const double h = 1e-5;
  for (std::size_t j = 0; j < theta.size(); ++j) {
    auto moved = theta;
    moved[j] += h;
    const double above = objective.evaluate(moved, false).loss;
    moved[j] -= 2 * h;
    const double below = objective.evaluate(moved, false).loss;
    EXPECT_NEAR(here.gradient[j], (above - below) / (2 * h), 1e-8) << "parameter " << j;
  }
}

TYPED_TEST(Channel, TheFitIsAStationaryPointBelowWhereItBegan) {
  const std::size_t classes = 4;
  const Synthetic set = make_synthetic(900, classes);
  const Targets targets = make_target(Annotators{}, set.data, 0);
  TypeParam map;
  map.tau = 10.0;
  const Stage fitted = fit_stage(map, set.data, targets);
  EXPECT_EQ(fitted.report.stop, Stop::converged);
  // A step along the preconditioned gradient would gain no more than 1e-9.
  EXPECT_LE(fitted.report.gradient_norm, 1e-4);
  const Params theta = fitted.theta;
  const Params channel = theta.last(classes * classes);

  const FitOptions options;
  fit_detail::LocalObjective objective(map, set.data.scores, targets, options);
  const auto loss = [&](const std::vector<double>& at) {
    double sum = objective.evaluate(at, false).loss;
    const Params table = Params(at).last(classes * classes);
    for (std::size_t i = 0; i < table.size(); ++i) {
      const double usual = map::usual_channel(i / classes, i % classes, classes);
      sum -= map::kChannelPrior / 900.0 * usual * std::log(table[i]);
    }
    return sum;
  };
  EXPECT_NEAR(loss(fitted.theta), fitted.report.loss, 1e-12);
  for (std::size_t j = 0; j < classes; ++j) {
    double sum = 0.0;
    for (std::size_t k = 0; k < classes; ++k) {
      sum += channel[j * classes + k];
      // What the prior leaves at least: A_jk of 2 examples among 2 + 900.
      EXPECT_GT(channel[j * classes + k], 2.0 * 0.005 / 902.0);
    }
    EXPECT_NEAR(sum, 1.0, 1e-14);
  }

  // The start: the optimum of the ridge map, and the table that the prior likes best.
  using Ridge = typename map::Math<TypeParam>::Ridge;
  Stage ridge = fit_stage(Ridge{.tau = map.tau}, set.data, targets);
  for (std::size_t i = 0; i < classes * classes; ++i) {
    ridge.theta.push_back(map::usual_channel(i / classes, i % classes, classes));
  }
  EXPECT_LT(fitted.report.loss, loss(ridge.theta));

  // Rows of the table trade shares, everything else moves alone: no small move lowers the loss.
  const std::size_t front = theta.size() - classes * classes;
  for (std::size_t j = 0; j < front; ++j) {
    for (const double move : {-0.01, 0.01}) {
      auto moved = fitted.theta;
      moved[j] += move;
      EXPECT_GT(loss(moved), fitted.report.loss - 1e-9) << "parameter " << j;
    }
  }
  for (std::size_t j = 0; j < classes; ++j) {
    for (std::size_t k = 0; k < classes; ++k) {
      if (k == j) continue;
      for (const double share : {-0.5, 0.5}) {
        auto moved = fitted.theta;
        const double amount = share * moved[front + j * classes + k];
        moved[front + j * classes + k] += amount;
        moved[front + j * classes + j] -= amount;
        EXPECT_GT(loss(moved), fitted.report.loss - 1e-9) << j << ", " << k;
      }
    }
  }
}

/// A model that is right about what is there; annotators call class 0 class 1 in 30 % of all cases.
TEST(ChannelTable, IsFoundWhereAnnotatorsErrAndTheModelDoesNot) {
  const std::size_t rows = 6000, classes = 3;
  Matrix<float> scores(rows, classes);
  Matrix<double> counts(rows, classes);
  for (std::size_t i = 0; i < rows; ++i) {
    const std::size_t truth = i % classes;
    for (std::size_t k = 0; k < classes; ++k) {
      scores(i, k) = static_cast<float>((k == truth ? 6.0 : 0.0) + 0.1 * normal(3, i, k));
    }
    for (std::uint64_t s = 0; s < 5; ++s) {
      const bool wrong = truth == 0 && core::uniform(4, i, s) < 0.3;
      counts(i, wrong ? 1 : truth) += 1.0;
    }
  }
  const Dataset data =
      make_dataset(scores.view(), ScoreKind::logits, Votes::from_counts(counts.view()));
  const Calibrator calibrator = fit(parse_method("channel-log"), data);
  const Params channel = Params(calibrator.stages.back().theta).last(classes * classes);
  // 10,000 annotations of class 0: a standard error of 0.005.
  EXPECT_NEAR(channel[1], 0.3, 0.02);
  EXPECT_GT(channel[classes + 1], 0.97);
}

TEST(ChannelTable, MoreClassesThanItIsForAreRefusedWithAWayOut) {
  const Synthetic set = make_synthetic(60, 101);
  const Error error = test::error_of([&] { fit(parse_method("channel-log"), set.data); });
  EXPECT_EQ(error.code(), ErrorCode::usage);
  EXPECT_NE(error.hint().find("curves"), std::string::npos) << error.hint();
}

}  // namespace
}  // namespace credence
