// What passes in float32 read of the rows, class by class and block by block: made once and kept,
// as far as memory goes.
#pragma once

#include <algorithm>
#include <vector>

#include "core/kernels.hpp"
#include "fit/passes/matrix_maps.hpp"

namespace credence::fit_detail {

/// Rows multiplied at a time: sums of so many in float32, in 16 lanes, lose nothing that matters,
/// and are long enough to be worth adding up their lanes.
inline constexpr std::size_t kFastRows = 512;
static_assert(kBlockRows % kFastRows == 0);
/// From a class to the next. Were it a power of two, the same rows of all classes would share a few
/// places of the cache.
inline constexpr std::size_t kFastStride = kFastRows + 16;

inline std::vector<float> narrow(Params numbers) {
  std::vector<float> out(numbers.size());
  for (std::size_t j = 0; j < out.size(); ++j) out[j] = static_cast<float>(numbers[j]);
  return out;
}

/// A block of rows.
struct FastBlock {
  std::vector<float> x;  ///< chunks of kFastRows, each class by class; rows past the end are zero
  /// What the votes say of the block, as the map wants it.
  std::vector<float> shares;
  std::vector<double> products;
};

/// Where the chunk with a row of a block begins, of so many numbers for each row.
inline std::size_t chunk_at(std::size_t row, std::size_t numbers) {
  return row / kFastRows * numbers * kFastStride;
}

/// Beyond so many bytes blocks are made anew for every pass.
inline constexpr std::size_t kKeptFast = std::size_t{128} << 20;

class FastBlocks {
 public:
  FastBlocks(std::size_t blocks, std::size_t bytes_of_each)
      : kept_(std::min(blocks, kKeptFast / bytes_of_each)) {}

  /// A block, made by fill(block) where it is not there yet, in `own` where it is not kept. Blocks
  /// may be asked for by several threads, each by one.
  template <class Fill>
  const FastBlock& get(std::size_t number, FastBlock& own, const Fill& fill) {
    if (number >= kept_.size()) {
      fill(own);
      return own;
    }
    FastBlock& kept = kept_[number];
    if (kept.x.empty()) fill(kept);
    return kept;
  }

 private:
  std::vector<FastBlock> kept_;
};

/// Calls see(first row of a tile in the block, rows of it, tile) for the inputs of a block of
/// `rows` rows, and puts them into block.x.
template <class M, class See>
void load_block(MatrixInputs<M>& from, std::size_t inputs, std::size_t first, std::size_t rows,
                FastBlock& block, const See& see) {
  const std::size_t stride = from.stride();
  block.x.assign((rows + kFastRows - 1) / kFastRows * inputs * kFastStride, 0.0f);
  for (std::size_t done = 0; done < rows; done += stride) {
    const std::size_t here = std::min(stride, rows - done);
    const double* const tile = from.load(first + done, here);
    float* const to = &block.x[chunk_at(done, inputs) + done % kFastRows];
    for (std::size_t a = 0; a < inputs; ++a) {
      core::kernels().narrow(tile + a * stride, stride, to + a * kFastStride);
    }
    see(done, here, tile);
  }
}

}  // namespace credence::fit_detail
