// Limited-memory BFGS with a preconditioner, for losses that are not convex and whose curvature is
// known near the start. Every step lowers the loss.
#pragma once

#include <deque>
#include <functional>
#include <limits>
#include <vector>

#include "core/task.hpp"
#include "fit/objective.hpp"

namespace credence::fit_detail {

struct QuasiNewtonOptions {
  double gradient_tolerance;  ///< largest component at which it has converged
  double least_gain;          ///< or what a step must promise to be worth taking
  /// A step that promises no more is the last one, and taken without a look at where it leads.
  double unseen_gain = 0.0;
  int most_steps;
  /// Below this share a difference of losses means nothing.
  double resolution = 16.0 * std::numeric_limits<double>::epsilon();
  /// Whether to give up, rather than to try shorter steps, where no gain can be resolved.
  bool leave_early = false;
  /// Changes of the gradient below this are not remembered.
  double least_change = 0.0;
  /// Largest step, relative to the parameters, with which it has converged.
  double step_tolerance = std::numeric_limits<double>::infinity();
};

/// Steps and how the gradient changed along them.
struct StepPair {
  std::vector<double> step, change;
  double product = 0.0;  ///< step . change, positive
};
using StepPairs = std::deque<StepPair>;

/// About minus the inverse of the curvature times the gradient, by all that the pairs tell.
std::vector<double> quasi_newton_step(const StepPairs& pairs, const Preconditioner& precondition,
                                      const std::vector<double>& gradient);

/// Adds the step from where the gradient was `before` to where it is `after`, if that tells of the
/// curvature; forgets the oldest beyond some number.
void remember(StepPairs& pairs, const std::vector<double>& step, const std::vector<double>& before,
              const std::vector<double>& after, double least_change);

struct QuasiNewtonResult {
  std::vector<double> x, gradient;
  double loss = 0.0, gradient_norm = 0.0;
  Stop stop = Stop::iteration_limit;
};

/// Loss and gradient.
using Evaluate = std::function<core::Task<Derivatives>(const std::vector<double>& at)>;

/// `precondition` gives about the inverse of the curvature times a vector; `pairs` are those of an
/// earlier search, or none, and are added to. All must outlive the task.
core::Task<QuasiNewtonResult> minimise_quasi_newton(const Evaluate& evaluate,
                                                    const Preconditioner& precondition,
                                                    std::vector<double> start, StepPairs& pairs,
                                                    const QuasiNewtonOptions& options);

}  // namespace credence::fit_detail
