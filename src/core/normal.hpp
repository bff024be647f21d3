// The standard normal distribution.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "core/random.hpp"

namespace credence::core {

/// z such that a standard normal number lies within -z .. z with probability `level`.
inline double normal_quantile(double level) {
  // Newton on erf: four steps from 2 reach double precision for any usual level.
  double z = 2.0;
  for (int i = 0; i < 60; ++i) {
    const double density = std::exp(-0.5 * z * z) * std::sqrt(2.0 / std::numbers::pi);
    const double step = (std::erf(z / std::numbers::sqrt2) - level) / density;
    z -= std::clamp(step, -1.0, 1.0);
    if (std::abs(step) < 1e-14) break;
  }
  return z;
}

/// A standard normal number for (seed, row, s), by Box and Muller.
inline double normal(std::uint64_t seed, std::uint64_t row, std::uint64_t s) {
  const double u = 1.0 - uniform(seed, row, 2 * s), v = uniform(seed, row, 2 * s + 1);
  return std::sqrt(-2.0 * std::log(u)) * std::cos(2.0 * std::numbers::pi * v);
}

}  // namespace credence::core
