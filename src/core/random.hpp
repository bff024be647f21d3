// Randomness as a function of where it is used: the same (seed, row, s) gives the same number on
// any machine, in any order, on any thread.
#pragma once

#include <cstdint>
#include <string_view>

namespace credence::core {

/// Finaliser of SplitMix64 (Steele, Lea, Flood 2014): a bijection of 64 bits with full avalanche.
constexpr std::uint64_t mix64(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

/// 64 random bits for (seed, row, s).
constexpr std::uint64_t random_bits(std::uint64_t seed, std::uint64_t row, std::uint64_t s) {
  return mix64(mix64(mix64(seed) ^ row) ^ s);
}

/// A name (the id of an example) as a row number for the functions here: FNV-1a, then mixed. Part
/// of what a seed means, so it never changes.
constexpr std::uint64_t row_of_name(std::string_view name) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return mix64(hash);
}

/// Uniform in [0, 1), a multiple of 2^-53.
constexpr double uniform(std::uint64_t seed, std::uint64_t row, std::uint64_t s) {
  return static_cast<double>(random_bits(seed, row, s) >> 11) * 0x1.0p-53;
}

}  // namespace credence::core
