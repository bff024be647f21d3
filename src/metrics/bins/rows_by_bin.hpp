// Rows sorted into bins.
#pragma once

#include <cstddef>
#include <numeric>
#include <span>
#include <vector>

namespace credence::metrics {

/// The rows of each bin one after another, ascending within a bin.
class RowsByBin {
 public:
  /// bin_of(i) gives the bin of row i.
  template <class BinOf>
  RowsByBin(std::size_t rows, std::size_t bins, const BinOf& bin_of)
      : first_(bins + 1, 0), rows_(rows) {
    for (std::size_t i = 0; i < rows; ++i) ++first_[bin_of(i) + 1];
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
    std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
    for (std::size_t i = 0; i < rows; ++i) rows_[next[bin_of(i)]++] = i;
  }
  std::span<const std::size_t> bin(std::size_t b) const {
    return {rows_.data() + first_[b], first_[b + 1] - first_[b]};
  }

 private:
  std::vector<std::size_t> first_, rows_;
};

}  // namespace credence::metrics
