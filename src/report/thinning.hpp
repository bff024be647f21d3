// Which of many examples a page holds.
#pragma once

#include <algorithm>
#include <cstddef>

namespace credence::report {

/// True for `most` rows of `total`, evenly spaced, the first among them: row i is kept when it is
/// the first with its value of floor(i most / total).
inline bool is_kept(std::size_t i, std::size_t total, std::size_t most) {
  const std::size_t kept = std::min(most, total);
  return kept > 0 && (i == 0 || i * kept / total != (i - 1) * kept / total);
}

}  // namespace credence::report
