// One stage of a method, fitted by asking for sums over rows.
#pragma once

#include "fit/search/newton.hpp"

namespace credence::fit_detail {

/// `near` are parameters to begin at, or empty. The problem must outlive the task.
core::Task<Stage> fit_stage(const Problem& problem, const std::vector<double>& near,
                            std::shared_ptr<const FitCurvature>* curvature = nullptr);

/// Throws Error(usage) for a method that chooses among candidates.
void refuse_automatic(const MethodSpec& method);

}  // namespace credence::fit_detail
