// Two data sets of one task must number their classes alike.
#pragma once

#include <string>
#include <vector>

#include "credence/dataset.hpp"

namespace credence::cli {

/// Brings the columns and votes of `data` into the order of `classes`, matching by name. Nothing
/// happens when either side has no names; names that differ are an Error.
void align_classes(Dataset& data, const std::vector<std::string>& classes);

}  // namespace credence::cli
