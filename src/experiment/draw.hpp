// Draws from a distribution over classes.
#pragma once

#include <cstdint>
#include <span>

namespace credence::experiment {

/// Inverse of the cumulative distribution at u in [0, 1). A class of probability 0 is never drawn,
/// also where the sum of the others is rounded below 1.
inline std::uint32_t draw_class(std::span<const double> probabilities, double u) {
  std::uint32_t last = 0;
  double cumulative = 0.0;
  for (std::uint32_t k = 0; k < probabilities.size(); ++k) {
    if (!(probabilities[k] > 0.0)) continue;
    last = k;
    cumulative += probabilities[k];
    if (u < cumulative) break;
  }
  return last;
}

}  // namespace credence::experiment
