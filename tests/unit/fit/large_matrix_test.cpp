// The matrix map with more parameters than a Hessian is formed for.
#include <gtest/gtest.h>

#include "fit/doubtful_rows.hpp"
#include "fit/search/class_blocks.hpp"
#include "fit/search/local_objective.hpp"
#include "map/all_maps.hpp"
#include "synthetic.hpp"

namespace credence {
namespace {

using Math = map::Math<MatrixAffine>;

struct LargeMatrix : testing::Test {
  static constexpr std::size_t kClasses = 33;  // 1,122 parameters
  testing_data::Synthetic set = testing_data::make_synthetic(2500, kClasses);
  Targets targets = make_target(Annotators{}, set.data, 0);
  map::StageInput input{set.data.scores, Gauge::log_probs, {}};
  FitOptions options;
  fit_detail::LocalObjective objective{MatrixAffine{}, set.data.scores, targets, options};
  std::vector<double> theta = Math::identity(kClasses), direction = theta;

  void SetUp() override {
    for (std::size_t j = 0; j < theta.size(); ++j) {
      theta[j] += 0.05 * testing_data::normal(9, j, 0);
      direction[j] = testing_data::normal(5, j, 1);
    }
  }
};

TEST_F(LargeMatrix, SteeringProductsAreTheHessianToSinglePrecision) {
  const std::vector<double> exact = objective.product(theta, direction);
  const std::vector<double> steering = objective.steering_product(theta, direction);
  // float32 keeps 2^-24; the exponents of predictions lose a few bits more.
  const double tolerance = 1e-5 * fit_detail::max_norm(exact);
  for (std::size_t j = 0; j < theta.size(); ++j) EXPECT_NEAR(steering[j], exact[j], tolerance);
}

TEST_F(LargeMatrix, MovingAllClassesAlikeMeetsNothingButThePenalty) {
  std::vector<double> alike(theta.size(), 0.0);
  for (std::size_t k = 0; k < kClasses; ++k) alike[k * kClasses + 3] = 1.0;
  const std::vector<double> product = objective.steering_product(theta, alike);
  const map::Quadratic penalty = Math::penalty(MatrixAffine{}, kClasses, 1);
  for (std::size_t j = 0; j < theta.size(); ++j) {
    EXPECT_NEAR(product[j], penalty.diagonal[j] * alike[j], 1e-20);
  }
}

/// x^T P y against y^T P x, relative to the terms; and that x^T P x is positive.
double asymmetry(const fit_detail::Preconditioner& solve, const std::vector<double>& x,
                 const std::vector<double>& y) {
  std::vector<double> px(x.size()), py(x.size());
  solve(x.data(), px.data());
  solve(y.data(), py.data());
  double xy = 0.0, yx = 0.0, xx = 0.0, size = 0.0;
  for (std::size_t j = 0; j < x.size(); ++j) {
    xy += px[j] * y[j];
    yx += py[j] * x[j];
    xx += px[j] * x[j];
    size += std::abs(px[j] * y[j]);
  }
  EXPECT_GT(xx, 0.0);
  return std::abs(xy - yx) / size;
}

TEST_F(LargeMatrix, PreconditionerIsSymmetricAndPositive) {
  const map::Quadratic penalty = Math::penalty(MatrixAffine{}, kClasses, 1);
  // A solve loses the condition of its block, up to about 1e6, of 1e-16.
  EXPECT_LT(
      asymmetry(fit_detail::class_block_preconditioner(input, theta, penalty, 2), theta, direction),
      1e-9);
  // Here of 6e-8, the precision of float32, as the square root of that condition on either side.
  const fit_detail::DoubtfulRows rows(input, penalty, 2);
  EXPECT_LT(asymmetry(rows.at(theta), theta, direction), 1e-4);
}

TEST_F(LargeMatrix, DoubtfulRowsInvertTheCurvatureOfAClassWhenAllRowsAreInDoubt) {
  // Equal predictions leave every class in doubt by (K - 1)/K^2 on every row.
  const std::vector<double> equal(theta.size(), 0.0);
  constexpr std::size_t kRows = 300, kSide = kClasses + 1;
  const auto few = testing_data::make_synthetic(kRows, kClasses);
  map::StageInput rows{few.data.scores, Gauge::log_probs, {}};
  const map::Quadratic penalty = Math::penalty(MatrixAffine{}, kClasses, 1);
  const fit_detail::DoubtfulRows doubtful(rows, penalty, 1);
  std::vector<double> centred = direction, solved(theta.size());
  for (std::size_t a = 0; a < kSide; ++a) {
    const auto place = [&](std::size_t k) {
      return a < kClasses ? k * kClasses + a : kClasses * kClasses + k;
    };
    double mean = 0.0;
    for (std::size_t k = 0; k < kClasses; ++k) mean += centred[place(k)] / kClasses;
    for (std::size_t k = 0; k < kClasses; ++k) centred[place(k)] -= mean;
  }
  doubtful.at(equal)(centred.data(), solved.data());
  // With equal predictions the Hessian of a centred direction is the block of each class, except
  // for the spread 1/K instead of (K - 1)/K^2.
  const Targets few_targets = make_target(Annotators{}, few.data, 0);
  fit_detail::LocalObjective exact(MatrixAffine{}, few.data.scores, few_targets, options);
  const std::vector<double> back = exact.product(equal, solved);
  const double ratio = static_cast<double>(kClasses) / (kClasses - 1);
  double off = 0.0, size = 0.0;
  for (std::size_t j = 0; j < kClasses * kClasses; ++j) {
    off += (back[j] - ratio * centred[j]) * (back[j] - ratio * centred[j]);
    size += ratio * centred[j] * ratio * centred[j];
  }
  // The rows count twice by a thousandth, and float32 loses about as much by cancellation.
  EXPECT_LT(std::sqrt(off / size), 0.01);
}

TEST_F(LargeMatrix, FitReachesTheOptimumWithTheSameBitsForAnyThreads) {
  FitOptions one;
  one.threads = 1;
  const Stage reference = fit_stage(MatrixAffine{}, set.data, targets, one);
  EXPECT_EQ(reference.report.stop, Stop::converged);
  EXPECT_LE(fit_detail::max_norm(objective.evaluate(reference.theta, false).gradient), 1e-11);
  FitOptions many;
  many.threads = 7;
  many.chunk_rows = 1;
  const Stage other = fit_stage(MatrixAffine{}, set.data, targets, many);
  EXPECT_EQ(other.theta, reference.theta);
  EXPECT_EQ(other.report.passes, reference.report.passes);
}

}  // namespace
}  // namespace credence
