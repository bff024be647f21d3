// The matrix map with more parameters than a Hessian is formed for.
#include <gtest/gtest.h>

#include "fit/class_blocks.hpp"
#include "fit/matrix_products.hpp"
#include "fit/newton.hpp"
#include "fit/objective.hpp"
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
  std::unique_ptr<fit_detail::Objective> objective =
      fit_detail::make_objective(MatrixAffine{}, input, targets, options);
  std::vector<double> theta = Math::identity(kClasses), direction = theta;

  void SetUp() override {
    for (std::size_t j = 0; j < theta.size(); ++j) {
      theta[j] += 0.05 * testing_data::normal(9, j, 0);
      direction[j] = testing_data::normal(5, j, 1);
    }
  }
};

TEST_F(LargeMatrix, SteeringProductsAreTheHessianToSinglePrecision) {
  std::vector<double> exact(theta.size()), steering(theta.size());
  objective->product(theta, direction, exact.data());
  objective->steering_products(theta)(direction, steering.data());
  // float32 keeps 2^-24; the exponents of predictions lose a few bits more.
  const double tolerance = 1e-5 * fit_detail::max_norm(exact);
  for (std::size_t j = 0; j < theta.size(); ++j) EXPECT_NEAR(steering[j], exact[j], tolerance);
}

TEST_F(LargeMatrix, MovingAllClassesAlikeMeetsNothingButThePenalty) {
  std::vector<double> alike(theta.size(), 0.0), product(theta.size());
  for (std::size_t k = 0; k < kClasses; ++k) alike[k * kClasses + 3] = 1.0;
  objective->steering_products(theta)(alike, product.data());
  const map::Quadratic penalty = Math::penalty(MatrixAffine{}, kClasses);
  for (std::size_t j = 0; j < theta.size(); ++j) {
    EXPECT_NEAR(product[j], penalty.diagonal[j] * alike[j], 1e-20);
  }
}

TEST_F(LargeMatrix, PreconditionerIsSymmetricAndPositive) {
  const map::Quadratic penalty = Math::penalty(MatrixAffine{}, kClasses);
  const auto solve = fit_detail::class_block_preconditioner(input, theta, penalty, 2);
  std::vector<double> x(theta.size()), y(theta.size());
  solve(theta.data(), x.data());
  solve(direction.data(), y.data());
  double xy = 0.0, yx = 0.0, xx = 0.0, size = 0.0;
  for (std::size_t j = 0; j < theta.size(); ++j) {
    xy += x[j] * direction[j];
    yx += y[j] * theta[j];
    xx += x[j] * theta[j];
    size += std::abs(x[j] * direction[j]);
  }
  EXPECT_GT(xx, 0.0);
  // A solve loses the condition of its block, up to about 1e6, of 1e-16.
  EXPECT_NEAR(xy, yx, 1e-9 * size);
}

TEST_F(LargeMatrix, FitReachesTheOptimumWithTheSameBitsForAnyThreads) {
  FitOptions one;
  one.threads = 1;
  const Stage reference = fit_stage(MatrixAffine{}, set.data, targets, one);
  EXPECT_EQ(reference.report.stop, Stop::converged);
  EXPECT_LE(fit_detail::max_norm(objective->evaluate(reference.theta, false).gradient), 1e-11);
  FitOptions many;
  many.threads = 7;
  many.chunk_rows = 1;
  const Stage other = fit_stage(MatrixAffine{}, set.data, targets, many);
  EXPECT_EQ(other.theta, reference.theta);
  EXPECT_EQ(other.report.passes, reference.report.passes);
}

}  // namespace
}  // namespace credence
