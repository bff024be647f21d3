// Where a bad value is, in the words of every message about data.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace credence {

/// "votes.npy: row 17" or, without a file, "votes: row 17". Rows count from 0, as lists of rows do.
inline std::string place(std::string_view origin, std::string_view what, std::size_t row) {
  return origin.empty() ? fmt::format("{}: row {}", what, row)
                        : fmt::format("{}: row {}", origin, row);
}

inline std::string place(std::string_view origin, std::string_view what, std::size_t row,
                         std::size_t column) {
  return fmt::format("{}, column {}", place(origin, what, row), column);
}

}  // namespace credence
