// The index of a data frame, written as a first column without a name: row numbers, no ids.
#pragma once

#include <string>
#include <vector>

namespace credence::io {

/// One side of a join, as far as ids go.
struct IndexedSide {
  std::vector<std::string>& ids;
  bool unnamed = false;  ///< they come from a column without a name
  std::string path;
};

/// Clears ids that are 0, 1, 2, ... from a column without a name, with a note. They stay where the
/// other side has whole numbers too, which may be the same rows in another order.
void leave_out_index(const IndexedSide& a, const IndexedSide& b, std::vector<std::string>& notes);

}  // namespace credence::io
