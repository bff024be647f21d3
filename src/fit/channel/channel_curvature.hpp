// The curvature of a ridge map and a channel together, as if the model were right (Fisher).
#pragma once

#include <memory>
#include <vector>

#include "fit/objective.hpp"
#include "fit/search/steered_search.hpp"

namespace credence::fit_detail {

/// No entry of a channel is treated as if it were closer than this to 0 or 1.
inline constexpr double kLeastSpread = 1e-3;

/// From a sample of the rows, for parameters [W, c, L] with channel = softmax of each row of L,
/// given as theta = [W, c, C]. `prior` is what the rows of L are held with.
core::Task<std::shared_ptr<const FitCurvature>> channel_curvature(const Problem& problem,
                                                                  const std::vector<double>& theta,
                                                                  double prior);

}  // namespace credence::fit_detail
