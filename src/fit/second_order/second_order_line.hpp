// A line over log D, as the fit and the prediction read it.
#pragma once

#include <span>

#include "credence/calibrator.hpp"

namespace credence::fit_detail {

/// Below this, D counts as this: sharper distributions than any annotator could tell apart.
inline constexpr double kLeastSpread = 1e-12;
/// Logarithms of concentrations and odds end here: 1e20 is certain enough.
inline constexpr double kMostLog = 46.0;

/// log D of a row of probabilities, D = sum_k q_k (1 - q_k).
double log_spread(std::span<const double> probabilities);

double at(const LogLine& line, double log_spread);

}  // namespace credence::fit_detail
