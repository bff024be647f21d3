// A number in memory as a text file would have it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "credence/memory.hpp"

namespace credence::io {

/// Integers exactly, other numbers as the shortest text that reads back the same; blank for NaN,
/// which stands for a missing value in tables.
std::string_view number_text(NumberType type, const std::byte* at, std::string& buffer);

}  // namespace credence::io
