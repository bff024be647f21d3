// The pairs of an evaluation in the order in which resamples add them up fastest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "metrics/row_pairs.hpp"

namespace credence::metrics {

/// Rows are taken a chunk at a time, and the pairs of a chunk slot by slot: a run. The sums of a
/// run stay in registers, and the weights of a chunk in the nearest cache. Rows that go to the same
/// bins should be neighbours in `order`, which makes the runs long.
class PackedRows {
 public:
  /// unit[i]: what row i is drawn with.
  PackedRows(const RowPairs& pairs, std::span<const std::uint32_t> order,
             std::span<const std::uint32_t> unit, std::size_t slots);

  /// sums[slot * kLanes + lane] = sum of value * weight[unit * kLanes + lane]. float32 within a run
  /// and over kFlush chunks, then float64, which keeps the relative error below 1e-6 at half the
  /// cost. The same bits whatever the processor: every lane is a sum of its own.
  void add_up(const std::uint8_t* weight, std::vector<double>& sums) const;

  static constexpr std::size_t kChunk = 128, kFlush = 32;

  struct Run {
    std::uint32_t slot;
    std::uint32_t entries;
  };
  struct Chunk {
    std::size_t rows, runs;  ///< where the next chunk begins
  };

 private:
  std::size_t slots_;
  std::vector<Chunk> chunks_;
  std::vector<std::uint32_t> units_;  ///< of the rows, in order
  std::vector<Run> runs_;
  // Of every entry of the runs, one after the other: the row within its chunk, and the value.
  std::vector<std::uint8_t> row_;
  std::vector<float> value_;
};

}  // namespace credence::metrics
