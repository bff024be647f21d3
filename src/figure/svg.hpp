// What every SVG text is made of: escaped words and numbers that are the same on every machine.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace credence::figure {

/// Safe between tags and inside quotes. What XML cannot hold (control characters, broken UTF-8) and
/// what would reorder its surroundings (bidirectional overrides) is replaced or left out.
std::string escaped(std::string_view text);

/// A coordinate: two decimals at most, no trailing zeros, never "-0".
std::string number(double value, int decimals = 2);

/// ` name="value"`, escaped.
std::string attribute(std::string_view name, std::string_view value);
/// The shortest decimals that read back as the same number, for data attributes.
std::string attribute(std::string_view name, double value);
std::string attribute(std::string_view name, std::size_t value);

}  // namespace credence::figure
