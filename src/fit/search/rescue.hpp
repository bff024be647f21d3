// A second look at fits that are not certain of where they stopped.
#pragma once

#include <vector>

#include "fit/search/newton.hpp"

namespace credence::fit_detail {

/// Whether a fit needs one: it says so itself, or its scores are of a size at which the float32
/// steps of large fits, and tolerances that are absolute, mean nothing.
core::Task<bool> needs_rescue(const Minimum& minimum, const Problem& problem);

/// Goes on from the best of where `first` stopped and `starts`, with steps that damping makes safe,
/// and names the outcome anew. Never worse than any of them. Returns the parameters of `first` to
/// the bit when they are the minimum.
core::Task<Minimum> rescue(Objective& objective, Minimum first,
                           std::vector<std::vector<double>> starts);

/// Where affine maps can begin whatever the scores: everybody gets the frequencies of the classes.
/// Nothing is saturated there.
core::Task<std::vector<double>> frequencies_start(const Problem& problem);

}  // namespace credence::fit_detail
