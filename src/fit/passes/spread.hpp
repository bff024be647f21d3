// How the work of a pass is spread over threads.
#pragma once

#include <cstddef>

#include "core/ordered_blocks.hpp"
#include "credence/block_sums.hpp"

namespace credence::fit_detail {

struct Spread {
  int threads = 1;             ///< 0: as many as the machine has
  std::size_t chunk_rows = 0;  ///< rows a thread takes at a time; 0 chooses

  /// For a pass that looks at this many scores.
  core::Execution over(std::size_t scores) const {
    core::Execution execution;
    execution.threads = core::threads_for(scores, threads);
    execution.blocks_per_task = (chunk_rows + kBlockRows - 1) / kBlockRows;
    return execution;
  }
};

/// For every block of `rows` rows: work(first row, rows in it, sums) on some thread, with `width`
/// sums that are 0; the results are pushed in order. Rows count from the block `first_block`.
template <class Work>
BlockSums sum_blocks(std::size_t rows, std::size_t first_block, std::size_t width,
                     const core::Execution& execution, const Work& work) {
  BlockSums out;
  std::uint64_t next = first_block;
  core::ordered_blocks((rows + kBlockRows - 1) / kBlockRows, execution, width * sizeof(double),
                       [&] { return std::vector<double>(width); },
                       [&](std::size_t block, std::vector<double>& sums) {
                         std::fill(sums.begin(), sums.end(), 0.0);
                         const std::size_t first = block * kBlockRows;
                         work(first, std::min(kBlockRows, rows - first), sums.data());
                       },
                       [&](const std::vector<double>& sums) { out.push(next++, sums); });
  return out;
}

}  // namespace credence::fit_detail
