// The predicted class of rows, their confidence, and what the target says of it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/array_kernels.hpp"
#include "core/sparse_sum.hpp"
#include "credence/block_sums.hpp"
#include "credence/target.hpp"
#include "map/pipeline.hpp"
#include "map/top_label.hpp"

namespace credence::fit_detail {

/// Calls body(first row, rows, tile of inputs) for the tiles of rows [from, from + count).
template <class Body>
void for_each_input(const map::StageInput& input, std::size_t from, std::size_t count,
                    const Body& body) {
  const std::size_t stride = core::tile_rows(input.classes());
  std::vector<double> tile(input.classes() * stride);
  for (std::size_t done = 0; done < count; done += stride) {
    const std::size_t rows = std::min(stride, count - done);
    input.load(from + done, rows, tile.data());
    body(from + done, rows, tile.data());
  }
}

/// Calls body(row, confidence, predicted class) for rows [from, from + count), at most a block.
template <class Body>
void for_each_top(const map::StageInput& input, std::size_t from, std::size_t count,
                  const Body& body) {
  double confidence[kBlockRows];
  std::uint32_t top[kBlockRows];
  if (input.reads_scores()) {
    core::array_kernels().top_accurate(input.scores().row(from).data(), count, input.classes(),
                                       confidence, top);
    for (std::size_t r = 0; r < count; ++r) body(from + r, confidence[r], top[r]);
    return;
  }
  for_each_input(input, from, count, [&](std::size_t first, std::size_t rows, double* tile) {
    map::tile_top(tile, input.classes(), confidence, top);
    for (std::size_t r = 0; r < rows; ++r) body(first + r, confidence[r], top[r]);
  });
}

/// q[i,k] with the bits of Targets::at, without a branch per entry where no uniform mass is added.
class TargetAt {
 public:
  TargetAt(const Targets& targets, std::size_t classes)
      : targets_(&targets),
        classes_(classes),
        roomy_(targets.rows() == 0 || targets.entries() < 4
                   ? nullptr
                   : targets.row(0).classes.data() + (targets.entries() - 3)) {}
  double operator()(std::size_t row, std::uint32_t k) const {
    if (targets_->has_uniform()) return targets_->at(row, k, classes_);
    const TargetRow found = targets_->row(row);
    const std::uint32_t* const named = found.classes.data();
    const double* const weights = found.weights.data();
    // Looked up, not tested: which of the named classes is the predicted one is anybody's guess.
    static constexpr double kCounts[] = {0.0, 1.0};
    return core::sparse_sum(found.classes.size(), named < roomy_,
                            [&](std::size_t j, double counts) {
                              return weights[j] * kCounts[named[j] == k ? 1 : 0] * counts;
                            }) /
           found.total;
  }

 private:
  const Targets* targets_;
  std::size_t classes_;
  const std::uint32_t* roomy_;  // rows that start before have four entries to read
};

}  // namespace credence::fit_detail
