// Ids of two files that mean the same and are written differently.
#pragma once

#include <string>
#include <vector>

#include "io/join/join_rows.hpp"

namespace credence::io {

/// "'007', '008', '009', ...": the first few of the rows, or "rows 3, 4, 5, ..." without ids.
std::string first_ids(const Side& side, const std::vector<std::size_t>& rows);

/// What would make ids match that do not: leading zeros, "1000.0" for "1000", case, surrounding
/// spaces, folders and endings of file names. Empty when nothing explains most of them.
std::string propose_repair(const Side& scores, const std::vector<std::size_t>& score_rows,
                           const Side& other, const std::vector<std::size_t>& other_rows);

}  // namespace credence::io
