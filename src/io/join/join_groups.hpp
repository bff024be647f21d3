// Groups (patients, recordings) that splits and resampling keep whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "io/join/join_rows.hpp"

namespace credence::io {

/// Group numbers for the wanted rows of the scores, numbered in the order they first appear. The
/// file (or what was given instead) has one group per row of the scores (integer .npy, or one name
/// per line), or columns id and group, joined by id.
std::vector<std::uint32_t> read_groups(const DatasetFiles& files, const Side& scores,
                                       const std::vector<std::size_t>& wanted);

}  // namespace credence::io
