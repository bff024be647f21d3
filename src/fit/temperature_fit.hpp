// One temperature for any target: a convex function of b = 1/T whose targets enter through a single
// number, so a soft fit costs what a hard one costs.
#pragma once

#include "fit/newton.hpp"

namespace credence::fit_detail {

Minimum fit_temperature(Scores scores, const Targets& targets, const FitOptions& options,
                        double start = 0.0);

}  // namespace credence::fit_detail
