// Newton's method with safeguards, for every smooth map.
#pragma once

#include <vector>

#include "fit/objective.hpp"

namespace credence::fit_detail {

/// Up to this many parameters the Hessian is formed and factorised; above, conjugate gradients use
/// products with it. 930 parameters are the matrix map with 30 classes.
inline constexpr std::size_t kDenseParameters = 1000;

struct Minimum {
  std::vector<double> theta;
  FitReport report;
  /// Whether the way it stopped is beyond doubt: the curvature was regular, and the next step would
  /// have gained nothing.
  bool certain = false;
  /// What led the search, for fits to nearly the same rows; null where nothing of the kind did.
  std::shared_ptr<const FitCurvature> curvature = nullptr;
};

/// A fit has converged when the gradient is within its tolerance and the Newton step, relative to
/// the parameters, within this many times as much: 1e-9 by default, which no longer changes a
/// prediction in the ninth digit.
inline constexpr double kStepPerGradient = 100.0;

/// Minimises from `start` until the gradient is below `gradient_tolerance` and the step is small.
core::Task<Minimum> minimise(Objective& objective, std::vector<double> start,
                             double gradient_tolerance,
                             std::size_t dense_parameters = kDenseParameters);

/// The same for a start that others will improve: stops as soon as the gradient is below
/// `gradient_tolerance`, and says nothing about where the minimum is.
core::Task<Minimum> approach(Objective& objective, std::vector<double> start,
                             double gradient_tolerance);

}  // namespace credence::fit_detail
