// Newton directions without forming the Hessian.
#pragma once

#include <vector>

#include "fit/objective.hpp"

namespace credence::fit_detail {

/// Approximately solves Hessian(theta) x = rhs by preconditioned conjugate gradients, more
/// precisely the smaller the gradient is. Parameters marked active stay 0.
std::vector<double> newton_cg_direction(Objective& objective, const std::vector<double>& theta,
                                        const std::vector<double>& rhs,
                                        const std::vector<bool>& active,
                                        const Preconditioner& precondition, double target);

}  // namespace credence::fit_detail
