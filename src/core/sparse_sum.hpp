// Sums over the few entries of a compressed row, without a branch per entry: rows of one, two or
// three entries in random order would cost a misprediction each.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace credence::core {

/// Sum of term(j) for j < count. With `roomy`, term(0..3) must be callable whatever the count (the
/// arrays go on that far), and the first four are taken and masked instead of tested.
template <class Term>
inline double sparse_sum(std::size_t count, bool roomy, const Term& term) {
  double sum = 0.0;
  std::size_t j = 0;
  if (roomy) {
    for (; j < 4; ++j) {
      const auto keep = -static_cast<std::uint64_t>(j < count);
      sum += std::bit_cast<double>(std::bit_cast<std::uint64_t>(term(j)) & keep);
    }
  }
  for (; j < count; ++j) sum += term(j);
  return sum;
}

}  // namespace credence::core
