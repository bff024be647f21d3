// Newton directions without forming the Hessian.
#pragma once

#include <vector>

#include "fit/objective.hpp"

namespace credence::fit_detail {

/// A step, its length as the preconditioner measures it, and by how much the quadratic model of the
/// loss falls.
struct TrustedStep {
  std::vector<double> step;
  double length = 0.0, decrease = 0.0;
};

/// Approximately solves Hessian(theta) x = rhs by preconditioned conjugate gradients, more
/// precisely the smaller the gradient is, as far as x is no longer than `radius` (Steihaug 1983):
/// far from the minimum the quadratic model is wrong beyond some distance, and iterations spent on
/// a longer step are wasted. Parameters marked active stay 0.
TrustedStep newton_cg_step(Objective& objective, const std::vector<double>& theta,
                           const std::vector<double>& rhs, const std::vector<bool>& active,
                           const Preconditioner& precondition, double target, double radius);

}  // namespace credence::fit_detail
