// How far a sum of independent coin flips with unequal chances lies from a given number, on
// average.
#pragma once

#include <cstddef>
#include <span>

#include "metrics/sums/chances.hpp"

namespace credence::metrics {

/// Up to this many flips, and up to this variance of their number, the distribution is computed
/// exactly. Above either a normal law takes over, with corrections up to the fourth power of
/// 1 / sigma, also for the number being whole. It is off by less than 1e-9 standard deviations
/// where the variance is above 1,000, and by less than 1e-6 where it is above 25.
inline constexpr std::size_t kExactFlips = 65536;
inline constexpr double kExactVariance = 1000.0;

/// E |total - X| for X = sum of Bernoulli(chances[i]). Sorts `chances`, so that the order of the
/// rows does not matter.
double mean_absolute_deviation(double total, std::span<double> chances);

/// The same where equal chances are counted; all of one cell.
double mean_absolute_deviation(double total, std::span<const Chance> chances);

/// The two ways, for tests; mean_absolute_deviation chooses.
double exact_deviation(double total, std::span<const double> chances);
double normal_deviation(double total, std::span<const double> chances);

}  // namespace credence::metrics
