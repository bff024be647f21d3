// Annotators drawn from the votes.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "core/random.hpp"

namespace credence::metrics {

/// The randomness of a row, told apart from other uses of the same seed by a constant.
inline std::uint64_t draw_key(std::uint64_t seed, std::uint64_t row) {
  return core::mix64(core::mix64(seed ^ 0x6563655f74727565ULL) ^ row);
}

/// 32 random bits for draw s. Two rounds of multiplying and folding with the constants of Wellons
/// (lowbias32, 2018), the other half of the key let in between them; 32-bit arithmetic alone, so
/// that a processor does several draws at a time.
inline std::uint32_t draw_bits(std::uint64_t key, std::uint32_t s) {
  std::uint32_t x = static_cast<std::uint32_t>(key) + s * 0x9e3779b9U;
  x ^= x >> 16;
  x *= 0x7feb352dU;
  x ^= static_cast<std::uint32_t>(key >> 32);
  x ^= x >> 15;
  x *= 0x846ca68bU;
  x ^= x >> 16;
  return x;
}

/// A chance below 1 in units of 2^-32, to the nearest: draw_bits() is a hit when it is smaller.
inline std::uint32_t chance_threshold(double chance) {
  return static_cast<std::uint32_t>(std::min(std::round(chance * 0x1.0p32), 0x1.fffffffep31));
}

/// Draws are made this many at a time; blocks of draws are what threads share out.
inline constexpr std::size_t kDrawBlock = 8;

}  // namespace credence::metrics
