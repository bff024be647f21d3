#include "fit/search/steered_search.hpp"

#include <algorithm>
#include <functional>

#include "fit/search/dense.hpp"
#include "fit/search/small_problem.hpp"

namespace credence::fit_detail {
namespace {

/// Gradients in float32 mean little below this.
constexpr double kFastGradient = 1e-7;
/// And differences of them below this.
constexpr double kFastChange = 2e-7;
/// Means over rows of losses in float32 are good to about this share.
constexpr double kFastResolution = 1e-7;
constexpr int kMostFastSteps = 100;

constexpr std::size_t kCurvatureRowsPerParameter = 32, kLeastCurvatureRows = 2048;
/// Of all rows, at least this share tells the curvature and at most the other.
constexpr std::size_t kLeastShare = 32, kMostShare = 4;

constexpr std::size_t kUnseenRows = 16384;
constexpr double kUnseenOfAll = 0.1;

/// A curvature corrected by the steps that were taken with it.
std::shared_ptr<const FitCurvature> learned(const FitCurvature& from, StepPairs pairs) {
  const auto known = std::make_shared<const StepPairs>(std::move(pairs));
  const auto solve = [before = from.inverse, known, size = from.parameters](const double* in,
                                                                            double* out) {
    const std::vector<double> step =
        quasi_newton_step(*known, before, std::vector<double>(in, in + size));
    std::ranges::transform(step, out, std::negate<>());
  };
  return std::make_shared<const FitCurvature>(FitCurvature{solve, from.parameters, from.regular});
}

}  // namespace

double unseen_gain(double gradient_tolerance, std::size_t rows) {
  if (gradient_tolerance < kLooseTolerance || rows < kUnseenRows) return 0.0;
  return kUnseenOfAll / static_cast<double>(rows);
}

core::Task<Minimum> minimise_steered(const Steered& objective, const FitCurvature& curvature,
                                     std::vector<double> start, const SteeredTolerance& tolerance) {
  const bool loose = tolerance.gradient >= kLooseTolerance;
  StepPairs pairs;
  const QuasiNewtonOptions fast{.gradient_tolerance = loose ? tolerance.gradient : kFastGradient,
                                .least_gain = tolerance.gain,
                                .unseen_gain = tolerance.unseen_gain,
                                .most_steps = kMostFastSteps,
                                .resolution = kFastResolution,
                                .leave_early = true,
                                .least_change = kFastChange};
  QuasiNewtonResult found = co_await minimise_quasi_newton(objective.fast, curvature.inverse,
                                                           std::move(start), pairs, fast);
  // Many rows can show gains that float32 cannot.
  if (!loose || found.stop == Stop::rounding_floor) {
    const QuasiNewtonOptions exact{.gradient_tolerance = tolerance.gradient,
                                   .least_gain = tolerance.gain,
                                   .unseen_gain = tolerance.unseen_gain,
                                   .most_steps = tolerance.most_steps,
                                   .step_tolerance = tolerance.step};
    found = co_await minimise_quasi_newton(objective.exact, curvature.inverse, std::move(found.x),
                                           pairs, exact);
  }
  Minimum out;
  out.curvature = learned(curvature, std::move(pairs));
  out.theta = std::move(found.x);
  out.certain = found.stop == Stop::converged && curvature.regular;
  out.report.stop = found.stop;
  out.report.loss = found.loss;
  out.report.gradient_norm = found.gradient_norm;
  co_return out;
}

std::size_t curvature_rows(const Problem& problem, std::size_t parameters) {
  const std::size_t wanted = std::max(
      {kLeastCurvatureRows, kCurvatureRowsPerParameter * parameters, problem.rows / kLeastShare});
  return std::min(wanted, problem.rows / kMostShare);
}

bool is_worth_sampling(const Problem& problem, std::size_t parameters) {
  return problem.rows >= kMostShare * std::max(kLeastCurvatureRows, 16 * parameters);
}

std::shared_ptr<const FitCurvature> curvature_from(std::vector<double> lower,
                                                   std::size_t parameters) {
  const auto factor = std::make_shared<const Cholesky>(std::move(lower), parameters);
  const auto solve = [factor](const double* in, double* out) {
    const std::size_t size = factor->size();
    std::ranges::copy(factor->solve(std::vector<double>(in, in + size)), out);
  };
  return std::make_shared<const FitCurvature>(FitCurvature{solve, parameters, factor->regular()});
}

core::Task<std::shared_ptr<const FitCurvature>> sampled_curvature(
    const Problem& problem, const std::vector<double>& theta) {
  const std::unique_ptr<InputSample> sample =
      co_await ask_for_sample(problem, curvature_rows(problem, theta.size()));
  SmallProblem small(problem, *sample, *problem.options);
  Objective objective(small.problem);
  Derivatives there = small.run(objective.evaluate_fast(theta, true));
  co_return curvature_from(std::move(there.curvature), theta.size());
}

}  // namespace credence::fit_detail
