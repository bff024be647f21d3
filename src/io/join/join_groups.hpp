// Groups (patients, recordings) that splits and resampling keep whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "credence/io.hpp"
#include "io/join/join_rows.hpp"

namespace credence::io {

/// A group for every wanted row of the scores, numbered in the order they first appear. The file
/// (or what was given instead) has one group per row of the scores (integer .npy, or one name per
/// line), or columns id and group, joined by id.
SubgroupLabels read_groups(const std::string& path, const std::shared_ptr<const Given>& given,
                           const Side& scores, const std::vector<std::size_t>& wanted);

}  // namespace credence::io
