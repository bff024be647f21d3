#include "io/text/number_text.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <iterator>

#include "io/npy/npy.hpp"

namespace credence::io {

std::string_view number_text(NumberType type, const std::byte* at, std::string& buffer) {
  buffer.clear();
  // Beyond 2^53 a double would change an id.
  if (type == NumberType::i64 || type == NumberType::u64) {
    std::uint64_t bits;
    std::memcpy(&bits, at, sizeof bits);
    if (type == NumberType::u64) {
      fmt::format_to(std::back_inserter(buffer), "{}", bits);
    } else {
      fmt::format_to(std::back_inserter(buffer), "{}", static_cast<std::int64_t>(bits));
    }
    return buffer;
  }
  double value = 0.0;
  convert_npy(type, false, at, 1, &value);
  if (std::isnan(value)) return {};
  fmt::format_to(std::back_inserter(buffer), "{}", value);
  return buffer;
}

}  // namespace credence::io
