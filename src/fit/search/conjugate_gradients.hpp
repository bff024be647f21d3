// Newton directions without forming the Hessian.
#pragma once

#include <vector>

#include "fit/objective.hpp"

namespace credence::fit_detail {

/// A step, its length as the preconditioner measures it, by how much the quadratic model of the
/// loss falls, and whether it solves the equations as precisely as it was to.
struct TrustedStep {
  std::vector<double> step;
  double length = 0.0, decrease = 0.0;
  bool solved = false;
};

/// Approximately solves Hessian x = rhs, `multiply` being products with the Hessian, by
/// preconditioned conjugate gradients, more precisely the smaller the gradient is, as far as x is
/// no longer than `radius` (Steihaug 1983): far from the minimum the quadratic model is wrong
/// beyond some distance, and iterations spent on a longer step are wasted. Parameters marked active
/// stay 0.
core::Task<TrustedStep> newton_cg_step(const Objective& objective, const Product& multiply,
                                       const std::vector<double>& rhs,
                                       const std::vector<bool>& active,
                                       const Preconditioner& precondition, double target,
                                       double radius);

}  // namespace credence::fit_detail
