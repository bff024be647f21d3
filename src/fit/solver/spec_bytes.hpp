// Targets and maps as bytes: a name, and the numbers that are its options.
#pragma once

#include <cstdint>

#include "core/bytes.hpp"
#include "credence/methods.hpp"

namespace credence::fit_detail {

void write_spec(const TargetSpec& target, core::ByteWriter& out);
void write_spec(const MapSpec& map, core::ByteWriter& out);
/// By its name among those that are known.
TargetSpec read_target(core::ByteReader& in);
MapSpec read_map(core::ByteReader& in);

template <class Enum>
Enum read_enum(core::ByteReader& in, Enum last) {
  const std::uint8_t value = in.u8();
  if (value > static_cast<std::uint8_t>(last)) in.fail("holds a number out of range");
  return static_cast<Enum>(value);
}

}  // namespace credence::fit_detail
