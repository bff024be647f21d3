// Steps too small for float32, found by it.
#include "fit/search/magnified_step.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "core/random.hpp"

namespace credence {
namespace {

using fit_detail::Derivatives;
using fit_detail::magnified_step;
using fit_detail::max_norm;

/// A quadratic and a little more, with its minimum at `least`. In float32 gradients are always
/// wrong by `wrong`, and rounded.
struct Bowl {
  static constexpr std::size_t kSize = 6;
  std::vector<double> least, wrong, curvature;

  Bowl() {
    for (std::size_t j = 0; j < kSize; ++j) {
      least.push_back(core::uniform(1, j, 0));
      wrong.push_back(3e-8 * (core::uniform(1, j, 1) - 0.5));
      curvature.push_back(0.1 + core::uniform(1, j, 2));
    }
  }
  std::vector<double> gradient(const std::vector<double>& x) const {
    std::vector<double> out(kSize);
    double all = 0.0;
    for (std::size_t j = 0; j < kSize; ++j) all += x[j] - least[j];
    for (std::size_t j = 0; j < kSize; ++j) {
      const double d = x[j] - least[j];
      out[j] = curvature[j] * d + 0.05 * all + 0.3 * d * d;
    }
    return out;
  }
  core::Task<Derivatives> fast(const std::vector<double>& x) const {
    Derivatives out;
    out.gradient = gradient(x);
    for (std::size_t j = 0; j < kSize; ++j) {
      out.gradient[j] = 1e-9 * std::round(1e9 * (out.gradient[j] + wrong[j]));
    }
    co_return out;
  }
};

template <class T>
T result_of(core::Task<T> task) {
  task.start();
  return task.result();
}

TEST(MagnifiedStep, LeadsFarBelowWhatFloat32GetsWrong) {
  const Bowl bowl;
  const fit_detail::Evaluate fast = [&](const std::vector<double>& x) { return bowl.fast(x); };
  const fit_detail::Preconditioner rough = [&](const double* in, double* out) {
    for (std::size_t j = 0; j < Bowl::kSize; ++j) out[j] = in[j] / bowl.curvature[j];
  };
  std::vector<double> x = bowl.least;
  for (std::size_t j = 0; j < Bowl::kSize; ++j) x[j] += 1e-7 * (core::uniform(2, j, 0) - 0.5);
  fit_detail::StepPairs pairs;
  const std::vector<double> exact = bowl.gradient(x);
  const std::vector<double> step = result_of(magnified_step(
      {fast, rough, pairs, 1e-11, 1e-9}, x, exact, result_of(bowl.fast(x)).gradient));
  for (std::size_t j = 0; j < Bowl::kSize; ++j) x[j] += step[j];
  EXPECT_GT(max_norm(exact), 1e-8);
  EXPECT_LT(max_norm(bowl.gradient(x)), 1e-10);
}

TEST(MagnifiedStep, IsTheFirstOneWherePassesTellNothing) {
  // A gradient that does not move: all steps but the first are in vain.
  const fit_detail::Evaluate deaf = [](const std::vector<double>& x) -> core::Task<Derivatives> {
    Derivatives out;
    out.gradient.assign(x.size(), 0.0);
    co_return out;
  };
  const fit_detail::Preconditioner half = [](const double* in, double* out) { *out = 0.5 * *in; };
  fit_detail::StepPairs pairs;
  const std::vector<double> x{1.0}, exact{1e-8}, fast{0.0};
  const std::vector<double> step =
      result_of(magnified_step({deaf, half, pairs, 1e-11, 1e-9}, x, exact, fast));
  EXPECT_DOUBLE_EQ(step[0], -5e-9);
  EXPECT_TRUE(pairs.empty());
}

}  // namespace
}  // namespace credence
