// Decimals of few digits, which most numbers in text files are: exact in float64, and so is a power
// of ten, so one division rounds them right.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace credence::io {

/// Reads a number written -12.375 or 7: no exponent, no more than 15 digits, no superfluous zeros
/// in front, digits on both sides of a point. Its end, or null for what is written otherwise.
inline const char* read_short_decimal(const char* at, const char* end, double& value) {
  constexpr std::ptrdiff_t kMostDigits = 15;
  static constexpr std::array<double, 16> kTens{1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
  const auto digit = [&](const char* place) { return static_cast<unsigned char>(*place - '0'); };
  const bool minus = at != end && *at == '-';
  if (minus) ++at;
  const char* const first = at;
  std::uint64_t whole = 0;
  for (; at != end && digit(at) <= 9; ++at) whole = 10 * whole + digit(at);
  std::ptrdiff_t digits = at - first, decimals = 0;
  if (digits == 0 || (digits > 1 && *first == '0')) return nullptr;
  if (at != end && *at == '.') {
    const char* const point = at++;
    for (; at != end && digit(at) <= 9; ++at) whole = 10 * whole + digit(at);
    decimals = at - point - 1;
    digits += decimals;
    if (decimals == 0) return nullptr;
  }
  // Beyond these digits `whole` may have overflowed.
  if (digits > kMostDigits || (at != end && (*at == 'e' || *at == 'E'))) return nullptr;
  const double magnitude = static_cast<double>(whole) / kTens[static_cast<std::size_t>(decimals)];
  value = minus ? -magnitude : magnitude;
  return at;
}

}  // namespace credence::io
