#include "core/code_point.hpp"

#include <array>

namespace credence::core {

CodePoint code_point(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(at);
  if (first < 0x80) return {first, 1, true};
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || at + length > text.size()) return {first, 1, false};
  std::uint32_t value = first & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(at + i) & 0xC0) != 0x80) return {first, 1, false};
    value = (value << 6) | (byte(at + i) & 0x3FU);
  }
  constexpr std::array<std::uint32_t, 5> kLeast{0, 0, 0x80, 0x800, 0x10000};
  const bool holds = value >= kLeast[length] && value <= 0x10FFFF &&
                     !(value >= 0xD800 && value <= 0xDFFF) && (value & 0xFFFE) != 0xFFFE;
  return {value, length, holds};
}

bool reorders(std::uint32_t v) {
  return (v >= 0x202A && v <= 0x202E) || (v >= 0x2066 && v <= 0x2069) || v == 0x200E ||
         v == 0x200F || v == 0x061C;
}

}  // namespace credence::core
