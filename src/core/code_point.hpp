// Text by code points, whatever bytes it holds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace credence::core {

struct CodePoint {
  std::uint32_t value = 0;
  std::size_t bytes = 1;
  bool valid = false;  ///< well-formed UTF-8 that XML can hold
};
/// The code point that starts at byte `at`; a byte that starts none stands for itself.
CodePoint code_point(std::string_view text, std::size_t at);

/// Bidirectional controls: a name must not turn its surroundings around.
bool reorders(std::uint32_t value);

}  // namespace credence::core
