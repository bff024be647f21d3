// One test body for every map that is fitted by its derivatives.
#include <gtest/gtest.h>

#include <cmath>

#include "fit/search/local_objective.hpp"
#include "map/all_maps.hpp"
#include "synthetic.hpp"

namespace credence {
namespace {

template <class M>
class SmoothMap : public testing::Test {
 protected:
  static constexpr std::size_t kClasses = 4;
  testing_data::Synthetic set = testing_data::make_synthetic(150, kClasses);
  Targets targets = make_target(Annotators{}, set.data, 0);
  FitOptions options;
  fit_detail::LocalObjective objective{M{}, set.data.scores, targets, options};
  std::vector<double> identity = map::Math<M>::identity(kClasses);

  /// The identity moved a little in every direction: derivatives there have no special zeros. A
  /// floor is nothing at the identity, so maps with one begin where their fits do.
  std::vector<double> somewhere() const {
    std::vector<double> theta = identity;
    if constexpr (map::ContainsTemperature<M>) theta = map::Math<M>::at_temperature(1.0);
    for (std::size_t j = 0; j < theta.size(); ++j) {
      theta[j] += 0.1 * testing_data::normal(9, j, 0);
    }
    return theta;
  }
};

/// The alternatives of MapSpec that are smooth, whichever there are.
template <class Found, class... Rest>
struct SmoothAmong {
  using type = Found;
};
template <class... Found, class M, class... Rest>
struct SmoothAmong<testing::Types<Found...>, M, Rest...> {
  using Next =
      std::conditional_t<map::Smooth<M>, testing::Types<Found..., M>, testing::Types<Found...>>;
  using type = typename SmoothAmong<Next, Rest...>::type;
};
template <class Variant>
struct AllSmooth;
template <class... Maps>
struct AllSmooth<std::variant<Maps...>> : SmoothAmong<testing::Types<>, Maps...> {};

TYPED_TEST_SUITE(SmoothMap, AllSmooth<MapSpec>::type);

/// Maps that are linear in their parameters: products with the Hessian are exact. That of the
/// adaptive temperature is the Gauss-Newton part, which with 5 parameters is never used for a fit.
template <class M>
class LinearMap : public SmoothMap<M> {};
using LinearMaps = testing::Types<Temperature, ClassTemperatures, DiagonalAffine, MatrixAffine,
                                  RidgeLog, RidgeBoth, RidgeSharp, Curves>;
TYPED_TEST_SUITE(LinearMap, LinearMaps);

TYPED_TEST(SmoothMap, GradientMatchesCentralDifferences) {
  std::vector<double> theta = this->somewhere();
  const auto here = this->objective.evaluate(theta, false);
  // Step h: truncation h^2 and rounding 1e-16/h balance near 1e-5, each then below 1e-9.
  const double h = 1e-5;
  for (std::size_t j = 0; j < theta.size(); ++j) {
    const double old = theta[j];
    theta[j] = old + h;
    const double above = this->objective.evaluate(theta, false).loss;
    theta[j] = old - h;
    const double below = this->objective.evaluate(theta, false).loss;
    theta[j] = old;
    EXPECT_NEAR(here.gradient[j], (above - below) / (2 * h), 1e-8) << "parameter " << j;
  }
}

TYPED_TEST(SmoothMap, HessianMatchesCentralDifferencesOfTheGradient) {
  std::vector<double> theta = this->somewhere();
  const auto here = this->objective.evaluate(theta, true);
  const std::size_t size = theta.size();
  const double h = 1e-5;
  for (std::size_t j = 0; j < size; ++j) {
    const double old = theta[j];
    theta[j] = old + h;
    const auto above = this->objective.evaluate(theta, false).gradient;
    theta[j] = old - h;
    const auto below = this->objective.evaluate(theta, false).gradient;
    theta[j] = old;
    for (std::size_t i = j; i < size; ++i) {
      EXPECT_NEAR(here.curvature[i * size + j], (above[i] - below[i]) / (2 * h), 1e-7)
          << i << ", " << j;
    }
  }
}

TYPED_TEST(LinearMap, ProductsEqualTheHessianTimesTheDirection) {
  const std::vector<double> theta = this->somewhere();
  const auto here = this->objective.evaluate(theta, true);
  const std::size_t size = theta.size();
  std::vector<double> direction(size);
  for (std::size_t j = 0; j < size; ++j) direction[j] = testing_data::normal(5, j, 1);
  const std::vector<double> product = this->objective.product(theta, direction);
  for (std::size_t i = 0; i < size; ++i) {
    double sum = 0.0;
    for (std::size_t j = 0; j < size; ++j) {
      sum += here.curvature[i >= j ? i * size + j : j * size + i] * direction[j];
    }
    EXPECT_NEAR(product[i], sum, 1e-12);
  }
}

TYPED_TEST(SmoothMap, IdentityStartReproducesSoftmax) {
  Calibrator mapped, plain;
  mapped.class_count = plain.class_count = this->kClasses;
  mapped.stages.push_back({Annotators{}, TypeParam{}, this->identity, {}});
  plain.stages.push_back({NoTarget{}, Identity{}, {}, {}});
  Matrix<double> p(150, this->kClasses), q(150, this->kClasses);
  mapped.apply(this->set.scores.view(), p.view());
  plain.apply(this->set.scores.view(), q.view());
  for (std::size_t i = 0; i < 150 * this->kClasses; ++i) {
    EXPECT_NEAR(p.data()[i], q.data()[i], 1e-14);
  }
}

TYPED_TEST(SmoothMap, OptimumHasNoGradientAndBeatsEveryPerturbation) {
  const auto minimum = this->objective.minimum_from(this->identity, 1e-11);
  EXPECT_TRUE(minimum.report.stop == Stop::converged ||
              minimum.report.stop == Stop::rounding_floor);
  EXPECT_LT(minimum.report.gradient_norm, 1e-10);
  EXPECT_LE(minimum.report.loss, this->objective.evaluate(this->identity, false).loss);
  for (std::size_t j = 0; j < minimum.theta.size(); ++j) {
    for (const double move : {-0.01, 0.01}) {
      auto theta = minimum.theta;
      theta[j] += move;
      EXPECT_GT(this->objective.evaluate(theta, false).loss, minimum.report.loss)
          << "parameter " << j;
    }
  }
}

TYPED_TEST(LinearMap, ConjugateGradientsReachTheSameOptimum) {
  const auto dense = this->objective.minimum_from(this->identity, 1e-11);
  const auto free = this->objective.minimum_from(this->identity, 1e-11, 0);
  // Conditioning up to 1e5 turns a gradient of 1e-11 into 1e-6 of a parameter.
  for (std::size_t j = 0; j < dense.theta.size(); ++j) {
    EXPECT_NEAR(dense.theta[j], free.theta[j], 2e-6);
  }
}

}  // namespace
}  // namespace credence
