// Annotators drawn from the votes, and what a metric averages to over the draws.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/random.hpp"
#include "metrics/definition.hpp"

namespace credence::metrics {

/// The randomness of a row: draws 2j and 2j+1 are the upper and the lower half of word(key, j).
/// Told apart from other uses of the same seed by a constant.
inline std::uint64_t draw_key(std::uint64_t seed, std::uint64_t row) {
  return core::mix64(core::mix64(seed ^ 0x6563655f74727565ULL) ^ row);
}
inline std::uint64_t draw_word(std::uint64_t key, std::uint64_t j) { return core::mix64(key ^ j); }

/// A chance in units of 2^-32: a draw x (32 bits) is a hit when x < threshold(chance). Exact for 0
/// and 1, within 2^-33 otherwise.
inline std::uint64_t chance_threshold(double chance) {
  return static_cast<std::uint64_t>(std::llround(chance * 0x1.0p32));
}

/// Draws are made this many at a time; blocks of draws are what threads share out.
inline constexpr std::size_t kDrawBlock = 8;

/// Mean of the values of the draws, with its standard error (none for a single draw).
Point average_of_draws(std::span<const double> values);

}  // namespace credence::metrics
