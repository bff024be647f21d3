// Sums over the few entries of a compressed row, without a branch per entry: rows of one, two or
// three entries in random order would cost a misprediction each.
#pragma once

#include <cstddef>

namespace credence::core {

/// Sum of term(j, 1.0) for j < count. With `roomy`, term(0..3) must be callable whatever the count
/// (the arrays go on that far), and the first four are taken instead of tested: term must multiply
/// by its second argument, which is 0.0 for those that do not count.
template <class Term>
inline double sparse_sum(std::size_t count, bool roomy, const Term& term) {
  static constexpr double kCounts[5][4] = {
      {0, 0, 0, 0}, {1, 0, 0, 0}, {1, 1, 0, 0}, {1, 1, 1, 0}, {1, 1, 1, 1}};
  double sum = 0.0;
  std::size_t j = 0;
  if (roomy) {
    const double* const counts = kCounts[count < 4 ? count : 4];
    for (; j < 4; ++j) sum += term(j, counts[j]);
  }
  for (; j < count; ++j) sum += term(j, 1.0);
  return sum;
}

}  // namespace credence::core
