// Passes in float32 find the way; here they are held to the passes in double that decide.
#include <gtest/gtest.h>

#include <cmath>

#include "core/random.hpp"
#include "credence/fit.hpp"
#include "credence/solver.hpp"
#include "fit/passes/row_passes.hpp"
#include "map/all_maps.hpp"
#include "synthetic.hpp"

namespace credence {
namespace {

using fit_detail::RowPasses;
using testing_data::make_synthetic;

std::vector<double> totals(const MapSpec& map, const Dataset& data, Request::Sums sums,
                           const std::vector<double>& theta,
                           const TargetSpec& target = Annotators{}) {
  Request request;
  request.sums = sums;
  request.target = target;
  request.map = map;
  request.theta = theta;
  RowPasses rows({0, data.scores, &data.votes, {}}, {1, 0});
  return rows.answer(request).sums.total();
}

/// The identity of a map, moved a little; rows of a channel still add up to 1.
std::vector<double> somewhere(const MapSpec& map, std::size_t classes) {
  return std::visit(
      [&]<class M>(const M&) -> std::vector<double> {
        if constexpr (map::Differentiable<M>) {
          std::vector<double> theta = map::Math<M>::identity(classes);
          std::size_t free = theta.size();
          if constexpr (map::Channelled<M>) {
            free -= classes * classes;
            for (std::size_t i = 0; i < classes * classes; ++i) {
              theta[free + i] = map::usual_channel(i / classes, i % classes, classes);
            }
          }
          for (std::size_t j = 0; j < free; ++j) theta[j] += 0.2 * core::uniform(7, j, 0) - 0.1;
          return theta;
        }
        return {};
      },
      map);
}

TEST(FastPasses, AgreeWithPassesInDouble) {
  constexpr std::size_t kRows = 3001;  // neither whole blocks nor whole chunks
  for (const std::size_t classes : {std::size_t{3}, std::size_t{10}}) {
    const auto set = make_synthetic(kRows, classes, 5);
    for (const MapSpec& map :
         {MapSpec(MatrixAffine{}), MapSpec(RidgeLog{}), MapSpec(RidgeBoth{}), MapSpec(RidgeSharp{}),
          MapSpec(ChannelLog{}), MapSpec(ChannelBoth{})}) {
      SCOPED_TRACE(std::string(map_name(map)) + ", classes " + std::to_string(classes));
      const std::vector<double> theta = somewhere(map, classes);
      const auto exact = totals(map, set.data, Request::Sums::loss, theta);
      const auto fast = totals(map, set.data, Request::Sums::loss_fast, theta);
      ASSERT_EQ(fast.size(), exact.size());
      for (std::size_t j = 0; j < exact.size(); ++j) {
        EXPECT_NEAR(fast[j] / kRows, exact[j] / kRows, 2e-6) << "sum " << j;
      }
    }
  }
}

TEST(FastPasses, AndThoseInDoubleAgreeOnTargetsThatSpreadOverAllClasses) {
  constexpr std::size_t kRows = 1500;
  const auto set = make_synthetic(kRows, 6, 5);
  const TargetSpec smoothed = Smoothed{.rule = Epsilon::fixed};
  for (const MapSpec& map : {MapSpec(MatrixAffine{}), MapSpec(RidgeBoth{})}) {
    const std::vector<double> theta = somewhere(map, 6);
    const auto exact = totals(map, set.data, Request::Sums::loss, theta, smoothed);
    const auto fast = totals(map, set.data, Request::Sums::loss_fast, theta, smoothed);
    // With the curvature the same sums are made tile by tile.
    const auto tiles = totals(map, set.data, Request::Sums::curvature, theta, smoothed);
    for (std::size_t j = 0; j < exact.size(); ++j) {
      EXPECT_NEAR(exact[j] / kRows, tiles[j] / kRows, 1e-14) << "sum " << j;
      EXPECT_NEAR(fast[j] / kRows, exact[j] / kRows, 2e-6) << "sum " << j;
    }
  }
}

TEST(FastPasses, HaveTheCurvatureOfMatrices) {
  constexpr std::size_t kRows = 3001, kClasses = 4;
  const auto set = make_synthetic(kRows, kClasses, 5);
  for (const MapSpec& map : {MapSpec(MatrixAffine{}), MapSpec(RidgeSharp{})}) {
    const std::vector<double> theta = somewhere(map, kClasses);
    const auto exact = totals(map, set.data, Request::Sums::curvature, theta);
    const auto fast = totals(map, set.data, Request::Sums::curvature_fast, theta);
    ASSERT_EQ(fast.size(), exact.size());
    for (std::size_t j = 0; j < exact.size(); ++j) {
      EXPECT_NEAR(fast[j] / kRows, exact[j] / kRows, 1e-5 * (1.0 + std::abs(exact[j]) / kRows));
    }
  }
}

/// The largest component of the gradient in double, penalty included, without the fit's own report.
double gradient_at(const Calibrator& calibrator, const Dataset& data) {
  const Stage& stage = calibrator.stages.back();
  std::vector<double> sums = totals(stage.map, data, Request::Sums::loss, stage.theta);
  std::vector<double> gradient(sums.begin() + 1, sums.end());
  for (double& g : gradient) g /= static_cast<double>(data.rows());
  const auto penalty = map::Math<MatrixAffine>::penalty(std::get<MatrixAffine>(stage.map),
                                                        data.classes_count(), data.rows());
  penalty.add_gradient(stage.theta, gradient.data());
  double most = 0.0;
  for (const double g : gradient) most = std::max(most, std::abs(g));
  return most;
}

TEST(FastPasses, LeadToTheOptimumThatDoubleConfirms) {
  // Enough rows for the curvature of a sample, and for the tolerance of many rows.
  const auto few = make_synthetic(10000, 5, 11), many = make_synthetic(70001, 5, 11);
  EXPECT_LT(gradient_at(fit(parse_method("dirichlet-soft"), few.data), few.data), 1e-11);
  EXPECT_LT(gradient_at(fit(parse_method("dirichlet-soft"), many.data), many.data), 1e-9);
}

TEST(FittedStages, AreTakenAsTheyAre) {
  const auto set = make_synthetic(3000, 4, 2);
  const MethodSpec both = parse_method("dirichlet-soft then ts");
  const Calibrator whole = fit(both, set.data);
  FitOptions options;
  options.fitted = {whole.stages.front()};
  const Calibrator second = fit(both, set.data, options);
  ASSERT_EQ(second.stages.size(), 2u);
  EXPECT_EQ(second.stages[0].theta, whole.stages[0].theta);
  EXPECT_EQ(second.stages[1].theta, whole.stages[1].theta);
  options.fitted.front().theta[0] += 1.0;  // believed, not fitted again
  EXPECT_NE(fit(both, set.data, options).stages[1].theta, whole.stages[1].theta);
}

TEST(StartCurvature, LeadsToTheSameOptimumInFewerPasses) {
  const MethodSpec method = parse_method("dirichlet-soft");
  int passes_alone = 0, passes_led = 0;  // in all: a single fit may be lucky
  for (const int votes : {3, 4, 5}) {
    const auto set = make_synthetic(40000, 4, votes);
    std::shared_ptr<const FitCurvature> curvature;
    FitOptions options;
    const Calibrator first = fit(method, set.data, options, curvature);
    ASSERT_NE(curvature, nullptr);
    const Dataset part = set.data.select([] {
      std::vector<std::size_t> rows;
      for (std::size_t i = 0; i < 32000; ++i) rows.push_back(i);
      return rows;
    }());
    const Calibrator alone = fit(method, part, options);
    options.start = &first;
    options.start_curvature = curvature;
    const Calibrator led = fit(method, part, options);
    passes_alone += alone.stages[0].report.passes;
    passes_led += led.stages[0].report.passes;
    for (std::size_t j = 0; j < alone.stages[0].theta.size(); ++j) {
      EXPECT_NEAR(led.stages[0].theta[j], alone.stages[0].theta[j], 1e-7);
    }
  }
  EXPECT_LT(passes_led, passes_alone);
}

}  // namespace
}  // namespace credence
