// float16 (IEEE 754 binary16: 1 sign bit, 5 exponent bits with bias 15, 10 fraction bits), which
// the language does not have yet.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace credence::core {

/// Rounded to nearest, ties to even; too large a number becomes an infinity.
inline std::uint16_t to_half(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  const auto sign = static_cast<std::uint16_t>(bits >> 16 & 0x8000u);
  const std::uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return static_cast<std::uint16_t>(sign | 0x7e00u);  // NaN
  if (magnitude >= 0x477ff000u) return static_cast<std::uint16_t>(sign | 0x7c00u);
  if (magnitude < 0x38800000u) {
    // Below 2^-14 the spacing is 2^-24: scaled by 2^24, rounding to a whole number is what remains.
    const float scaled = std::nearbyint(std::bit_cast<float>(magnitude) * 0x1p24f);
    return static_cast<std::uint16_t>(sign | static_cast<std::uint16_t>(scaled));
  }
  // Rebias the exponent from 127 to 15, and round away 13 bits.
  const std::uint32_t rounded = magnitude - (112u << 23) + 0xfffu + (magnitude >> 13 & 1u);
  return static_cast<std::uint16_t>(sign | rounded >> 13);
}

/// Exact; a float holds every result.
inline double from_half(std::uint16_t half) {
  const std::uint64_t sign = static_cast<std::uint64_t>(half >> 15) << 63;
  const unsigned exponent = half >> 10 & 31u;
  const std::uint64_t fraction = half & 1023u;
  if (exponent == 0) {
    const double magnitude = static_cast<double>(fraction) * 0x1p-24;
    return sign != 0 ? -magnitude : magnitude;
  }
  const std::uint64_t wide = exponent == 31 ? 2047 : exponent + (1023 - 15);
  return std::bit_cast<double>(sign | wide << 52 | fraction << 42);
}

}  // namespace credence::core
