// The share of annotators who chose a class, looked up for row after row: how many votes a row has
// cannot be predicted, so it costs no branch where there are few.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/sparse_sum.hpp"
#include "credence/dataset.hpp"

namespace credence::dataset {

/// Votes::share(row, k) of votes that outlive this, to the same bits.
class ShareAt {
 public:
  explicit ShareAt(const Votes& votes) : votes_(&votes), offsets_(votes.offsets()) {}

  double operator()(std::size_t row, std::uint32_t k) const {
    const std::size_t first = offsets_[row], count = offsets_[row + 1] - first;
    const std::uint32_t* const classes = votes_->entry_classes().data() + first;
    const double* const weights = votes_->entry_weights().data() + first;
    return core::sparse_sum(count, first + 4 <= votes_->entries(),
                            [&](std::size_t j, double counts) {
                              return (classes[j] == k ? weights[j] : 0.0) * counts;
                            }) /
           votes_->total(row);
  }

 private:
  const Votes* votes_;
  std::span<const std::size_t> offsets_;
};

}  // namespace credence::dataset
