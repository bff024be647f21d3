// How far a sum of independent coin flips with unequal chances lies from a given number, on
// average.
#pragma once

#include <cstddef>
#include <span>

#include "metrics/sums/chances.hpp"

namespace credence::metrics {

/// Up to this many flips the distribution is computed exactly; above it a normal law with the first
/// correction for skewness takes over, which is then off by about 1 / (12 variance) standard
/// deviations: 2e-5 for 65,537 flips with chances of 0.9.
inline constexpr std::size_t kExactFlips = 65536;

/// E |total - X| for X = sum of Bernoulli(chances[i]). Sorts `chances`, so that the order of the
/// rows does not matter.
double mean_absolute_deviation(double total, std::span<double> chances);

/// The same where equal chances are counted; all of one cell.
double mean_absolute_deviation(double total, std::span<const Chance> chances);

/// The two ways, for tests; mean_absolute_deviation chooses.
double exact_deviation(double total, std::span<const double> chances);
double normal_deviation(double total, std::span<const double> chances);

}  // namespace credence::metrics
