#include "credence/block_sums.hpp"

namespace credence {

void add_sums(const std::vector<double>& right, std::vector<double>& left) {
  assert(left.size() == right.size());
  for (std::size_t j = 0; j < left.size(); ++j) left[j] += right[j];
}

}  // namespace credence
