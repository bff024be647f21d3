// The assignment problem.
#pragma once

#include <cstdint>
#include <vector>

#include "credence/matrix.hpp"

namespace credence::dataset {

/// The column of every row, each column taken once, so that the sum of the entries is largest.
/// Shortest augmenting paths (Hungarian method), O(n^3). Where the diagonal is as good as anything,
/// it is the answer.
std::vector<std::uint32_t> best_assignment(Rows gains);

/// Takes the largest entry whose row and column are free, again and again: no optimum, but cheap
/// when most entries are 0. Rows without an entry keep their own column where that is free.
struct Entry {
  std::uint32_t row, column;
  double gain;
};
std::vector<std::uint32_t> greedy_assignment(std::vector<Entry> entries, std::size_t size);

}  // namespace credence::dataset
