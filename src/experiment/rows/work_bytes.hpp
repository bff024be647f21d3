// Parts of the messages about rows elsewhere.
#pragma once

#include <vector>

#include "core/bytes.hpp"
#include "credence/row_work.hpp"

namespace credence::experiment {

inline void write_bytes(const std::vector<std::byte>& bytes, core::ByteWriter& out) {
  out.text({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}
inline std::vector<std::byte> read_bytes(core::ByteReader& in) {
  const std::string text = in.text();
  const auto* const first = reinterpret_cast<const std::byte*>(text.data());
  return {first, first + text.size()};
}

inline void write_tags(const TagSet& tags, core::ByteWriter& out) {
  for (std::size_t first = 0; first < kTags; first += 8) {
    std::uint8_t byte = 0;
    for (std::size_t i = 0; i < 8; ++i) byte |= static_cast<std::uint8_t>(tags[first + i] << i);
    out.u8(byte);
  }
}
inline TagSet read_tags(core::ByteReader& in) {
  TagSet tags;
  for (std::size_t first = 0; first < kTags; first += 8) {
    const std::uint8_t byte = in.u8();
    for (std::size_t i = 0; i < 8; ++i) tags[first + i] = (byte >> i & 1) != 0;
  }
  return tags;
}

}  // namespace credence::experiment
