// float16 (IEEE 754 binary16), which the language does not have yet.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace credence::exporter {

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

inline float from_half(std::uint16_t half) {
  const float sign = (half & 0x8000u) != 0 ? -1.0f : 1.0f;
  const std::uint32_t exponent = half >> 10 & 31u, fraction = half & 1023u;
  if (exponent == 0) return sign * static_cast<float>(fraction) * 0x1p-24f;
  if (exponent == 31) return fraction != 0 ? std::nanf("") : sign * INFINITY;
  return std::bit_cast<float>((half & 0x8000u) << 16 | (exponent + 112) << 23 | fraction << 13);
}

}  // namespace credence::exporter
