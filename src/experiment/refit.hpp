// Intervals that carry the chance in the calibration rows too: every resample fits again.
#pragma once

#include <functional>
#include <vector>

#include "credence/compare.hpp"

namespace credence::experiment {

/// Fills refit_estimates and refit_differences of the first methods.size() results. Resample r
/// draws calibration and evaluation units from (seed, r); the oracle is left out.
void refit_intervals(const Dataset& calibration, const Dataset& evaluation,
                     const std::vector<MethodSpec>& methods,
                     const std::vector<std::size_t>& references, const CompareOptions& options,
                     const FitOptions& fit_options, SplitResult& result,
                     const std::function<void()>& step);

}  // namespace credence::experiment
