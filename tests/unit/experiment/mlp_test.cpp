#include "experiment/mlp.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "core/random.hpp"

namespace credence::experiment {
namespace {

struct Problem {
  Matrix<double> x;
  std::vector<std::uint32_t> labels;
};

// Not a multiple of the 64 rows that are worked on together.
Problem problem(std::size_t rows = 150) {
  Problem p{Matrix<double>(rows, 2), {}};
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t a = 0; a < 2; ++a) p.x(i, a) = 4.0 * core::uniform(5, i, a) - 2.0;
    p.labels.push_back(static_cast<std::uint32_t>(core::random_bits(6, i, 0) % 3));
  }
  return p;
}

TEST(Mlp, GradientMatchesCentralDifferences) {
  const Problem p = problem();
  Mlp model({2, 7, 5, 3}, 1);
  std::vector<double> gradient(model.parameters().size()), ignored(gradient.size());
  model.loss(p.x.view(), p.labels, gradient);
  constexpr double kStep = 1e-6;
  for (std::size_t j = 0; j < gradient.size(); ++j) {
    double& parameter = model.parameters()[j];
    const double at = parameter;
    parameter = at + kStep;
    const double above = model.loss(p.x.view(), p.labels, ignored);
    parameter = at - kStep;
    const double below = model.loss(p.x.view(), p.labels, ignored);
    parameter = at;
    // Cancellation costs 1e-16 / 1e-6 and curvature less; a rectifier that switches within the
    // step for one of 150 rows would cost up to 1e-2, and does not happen with this seed.
    EXPECT_NEAR(gradient[j], (above - below) / (2.0 * kStep), 1e-8) << j;
  }
}

TEST(Mlp, LossIsTheMeanCrossEntropyOfItsLogits) {
  const Problem p = problem();
  Mlp model({2, 7, 5, 3}, 1);
  std::vector<double> gradient(model.parameters().size());
  const Matrix<double> z = model.logits(p.x.view());
  double expected = 0.0;
  for (std::size_t i = 0; i < z.rows(); ++i) {
    double sum = 0.0;
    for (const double value : z.row(i)) sum += std::exp(value);
    expected += (std::log(sum) - z(i, p.labels[i])) / static_cast<double>(z.rows());
  }
  EXPECT_NEAR(model.loss(p.x.view(), p.labels, gradient), expected, 1e-14);  // a few ulps
}

TEST(Mlp, OneHiddenUnitComputesWhatAHandDoes) {
  Mlp model({1, 1, 2}, 1);
  ASSERT_EQ(model.parameters().size(), 6U);
  // hidden = max(0, 2 x - 1); logits = (3 h + 0.5, -h)
  const std::vector<double> values{2.0, -1.0, 3.0, -1.0, 0.5, 0.0};
  std::copy(values.begin(), values.end(), model.parameters().begin());
  const Matrix<double> x({0.0, 2.0}, 2, 1);
  const Matrix<double> z = model.logits(x.view());
  EXPECT_DOUBLE_EQ(z(0, 0), 0.5);  // the unit is off
  EXPECT_DOUBLE_EQ(z(0, 1), 0.0);
  EXPECT_DOUBLE_EQ(z(1, 0), 9.5);
  EXPECT_DOUBLE_EQ(z(1, 1), -3.0);
}

TEST(Adam, FirstStepHasTheSizeOfTheRateAndTheSignOfTheGradient) {
  Adam adam(3, 1e-3);
  std::vector<double> parameters{1.0, 1.0, 1.0};
  adam.step(parameters, std::vector<double>{5.0, -0.01, 0.0});
  EXPECT_NEAR(parameters[0], 1.0 - 1e-3, 1e-11);  // epsilon 1e-8 beside 5
  EXPECT_NEAR(parameters[1], 1.0 + 1e-3, 1e-8);   // epsilon 1e-8 beside 0.01
  EXPECT_EQ(parameters[2], 1.0);
}

TEST(Adam, FindsTheMinimumOfAParabola) {
  Adam adam(1, 0.05);
  std::vector<double> x{3.0};
  for (int i = 0; i < 2000; ++i) adam.step(x, std::vector<double>{2.0 * (x[0] - 1.0)});
  EXPECT_NEAR(x[0], 1.0, 1e-6);  // steps shrink with the gradient
}

}  // namespace
}  // namespace credence::experiment
