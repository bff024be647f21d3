// Giving memory back.
#pragma once

#include <vector>

namespace credence::core {

/// Empties vectors and frees what they held, which assigning {} to one does not.
template <class... T>
void release(std::vector<T>&... vectors) {
  ((vectors = std::vector<T>()), ...);
}

}  // namespace credence::core
