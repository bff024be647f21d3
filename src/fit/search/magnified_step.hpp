// The last steps of a search, found by passes in float32.
//
// Near the optimum a step is too small to show in float32. But there the gradient is all but
// linear: g(x + s) is about g(x) + (f(x + t s) - f(x)) / t, with g in double, f in float32 and a t
// so large that the difference shows. What float32 always gets wrong the difference does not hold.
// So one gradient in double is worth several steps.
#pragma once

#include <vector>

#include "fit/search/quasi_newton.hpp"

namespace credence::fit_detail {

struct MagnifiedStep {
  const Evaluate& fast;
  const Preconditioner& precondition;
  StepPairs& pairs;  ///< used, and added to
  double tolerance;  ///< of the gradient behind the step
  double least_change;
};

/// From x, whose gradient is `exact` in double and `fast` in float32. All must outlive the task.
core::Task<std::vector<double>> magnified_step(const MagnifiedStep& how,
                                               const std::vector<double>& x,
                                               const std::vector<double>& exact,
                                               const std::vector<double>& fast);

}  // namespace credence::fit_detail
