// What votes are like, from rows that arrive in pieces, and from pieces that are merged.
#pragma once

#include <cstddef>
#include <cstdint>

#include "credence/block_sums.hpp"
#include "credence/dataset.hpp"
#include "credence/row_files.hpp"

namespace credence::io {

struct VoteFacts {
  BlockSums totals;            ///< numbers of votes, along the tree: shares add up to the same bits
  std::uint64_t next = 0;      ///< the block under way
  std::size_t rows_of_it = 0;  ///< in the block under way
  double sum_of_it = 0.0;
  std::size_t rows = 0, ties = 0;
  bool voted = false, all_totals_one = true, shares = false;

  void add(const Votes& votes);
  /// Ends the last block, which may be shorter.
  void close();
  /// Adds the rows that follow; both are closed.
  void merge(const VoteFacts& right);
  /// Votes per example; 0 without rows.
  double mean() const;
  void finish(DataFacts& facts) const;
};

}  // namespace credence::io
