// Small pieces of text that people and spreadsheets read.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace credence::core {

/// 12345678 -> "12,345,678".
inline std::string grouped_digits(std::size_t value) {
  std::string digits = std::to_string(value);
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, ",");
  return digits;
}

/// Quoted as RFC 4180 asks when it has to be.
inline std::string csv_quoted(std::string_view cell) {
  if (cell.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(cell);
  std::string out = "\"";
  for (const char c : cell) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + "\"";
}

}  // namespace credence::core
