#include "fit/search/steered_search.hpp"

#include <algorithm>
#include <functional>

#include "fit/search/dense.hpp"
#include "fit/search/magnified_step.hpp"
#include "fit/search/small_problem.hpp"

namespace credence::fit_detail {
namespace {

/// Gradients in float32 mean little below this.
constexpr double kFastGradient = 1e-7;
/// And differences of them below this.
constexpr double kFastChange = 2e-7;
/// A step that float32 found leads this far below the tolerance, as it is only nearly right.
constexpr double kMagnifiedTolerance = 0.3;
/// Rounds that shrink the gradient less than this are better left to steps in double.
constexpr double kWorthwhile = 0.3;
constexpr int kMostRounds = 4;
/// Means over rows of losses in float32 are good to about this share.
constexpr double kFastResolution = 1e-7;
constexpr int kMostFastSteps = 100;

constexpr std::size_t kCurvatureRowsPerParameter = 32, kLeastCurvatureRows = 2048;
/// Of all rows, at least this share tells the curvature and at most the other.
constexpr std::size_t kLeastShare = 32, kMostShare = 4;
/// From so many times its rows on, a fit to the sample costs less than the passes it saves.
constexpr std::size_t kManyTimes = 16;
/// How well: other rows are further from its optimum.
constexpr double kSampleGradient = 1e-4;

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

/// From where gradients in float32 led: a gradient in double, and what passes in float32 make of
/// it, by turns. Ends where it has converged or no longer gains much.
core::Task<QuasiNewtonResult> refine(const Steered& objective, const FitCurvature& curvature,
                                     QuasiNewtonResult found, StepPairs& pairs,
                                     const SteeredTolerance& tolerance) {
  const MagnifiedStep magnified{objective.fast, curvature.inverse, pairs,
                                kMagnifiedTolerance * tolerance.gradient, kFastChange};
  std::vector<double> fast = std::move(found.gradient);
  found.stop = Stop::iteration_limit;
  Derivatives here = co_await objective.exact(found.x);
  for (int round = 0;; ++round) {
    found.loss = here.loss;
    found.gradient_norm = max_norm(here.gradient);
    if (found.gradient_norm <= tolerance.gradient) {
      const std::vector<double> next = quasi_newton_step(pairs, curvature.inverse, here.gradient);
      if (max_norm(next) <= tolerance.step * (1.0 + max_norm(found.x))) {
        found.stop = Stop::converged;
        co_return found;
      }
    }
    if (round == kMostRounds) co_return found;
    if (round > 0) {
      const Derivatives again = co_await objective.fast(found.x);
      fast = again.gradient;
    }
    const std::vector<double> step =
        co_await magnified_step(magnified, found.x, here.gradient, fast);
    std::vector<double> trial(found.x);
    for (std::size_t j = 0; j < trial.size(); ++j) trial[j] += step[j];
    Derivatives next = co_await objective.exact(trial);
    if (!(max_norm(next.gradient) <= kWorthwhile * found.gradient_norm)) co_return found;
    found.x = std::move(trial);
    here = std::move(next);
  }
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
  if (!loose && found.stop != Stop::iteration_limit && objective.convex) {
    found = co_await refine(objective, curvature, std::move(found), pairs, tolerance);
  }
  // Many rows can show gains that float32 cannot, even where a fit need not be exact.
  const bool unresolved = found.stop == Stop::rounding_floor;
  if (loose ? unresolved : found.stop != Stop::converged || !objective.convex) {
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

core::Task<SampledFit> fit_sample(const Problem& problem, std::vector<double> start) {
  const std::size_t rows = curvature_rows(problem, start.size());
  const std::unique_ptr<InputSample> sample = co_await ask_for_sample(problem, rows);
  SmallProblem small(problem, *sample, *problem.options);
  Objective objective(small.problem);
  SampledFit out;
  out.theta = std::move(start);
  if (problem.rows >= kManyTimes * rows) {
    Minimum found = small.run(approach(objective, out.theta, kSampleGradient));
    if (found.report.stop == Stop::converged) out.theta = std::move(found.theta);
  }
  Derivatives there = small.run(objective.evaluate_fast(out.theta, true));
  out.curvature = curvature_from(std::move(there.curvature), out.theta.size());
  co_return out;
}

}  // namespace credence::fit_detail
