// One temperature for any target: a convex function of b = 1/T whose targets enter through a single
// number, so a soft fit costs what a hard one costs.
#pragma once

#include "fit/search/newton.hpp"

namespace credence::fit_detail {

/// For plain scores (no stage in front). Begins at 1/T = start, or where a sample leads when that
/// is 0.
core::Task<Minimum> fit_temperature(const Problem& problem, double start = 0.0);

}  // namespace credence::fit_detail
