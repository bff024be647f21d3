// Limited-memory BFGS with a preconditioner, for losses that are not convex and whose curvature is
// known near the start. Every step lowers the loss.
#pragma once

#include <functional>
#include <vector>

#include "core/task.hpp"
#include "fit/objective.hpp"

namespace credence::fit_detail {

struct QuasiNewtonOptions {
  double gradient_tolerance;  ///< largest component at which it has converged
  double least_gain;          ///< or what a step must promise to be worth taking
  int most_steps;
};

struct QuasiNewtonResult {
  std::vector<double> x;
  double loss = 0.0, gradient_norm = 0.0;
  Stop stop = Stop::iteration_limit;
};

/// Loss and gradient.
using Evaluate = std::function<core::Task<Derivatives>(const std::vector<double>& at)>;

/// `precondition` gives about the inverse of the curvature times a vector. All must outlive the
/// task.
core::Task<QuasiNewtonResult> minimise_quasi_newton(const Evaluate& evaluate,
                                                    const Preconditioner& precondition,
                                                    std::vector<double> start,
                                                    const QuasiNewtonOptions& options);

}  // namespace credence::fit_detail
