// What the rows of an evaluation add to the sums, in the order in which resamples add it up
// fastest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "metrics/bootstrap/row_pairs.hpp"

namespace credence::metrics {

/// Rows are taken in order of confidence, a chunk at a time, so that the weights of a chunk stay in
/// the nearest cache. Neighbours fall into the same bins: the columns of the single sums and of the
/// bins are added up three at a time over a segment of such rows. The pairs of the classes are
/// taken slot by slot: a run. The sums of segments and runs stay in registers.
class PackedRows {
 public:
  /// unit[i]: what row i is drawn with.
  PackedRows(const Scored& s, const Layout& layout, const Omitted& omitted,
             std::span<const std::uint32_t> unit);

  /// sums[slot * kLanes + lane] = sum of value * weight[unit * kLanes + lane]. float32 within a
  /// chunk and over kFlush chunks, then float64, which keeps the relative error below 1e-6 at half
  /// the cost. The same bits whatever the processor: every lane is a sum of its own.
  void add_up(const std::uint8_t* weight, std::vector<double>& sums) const;

  static constexpr std::size_t kChunk = 128, kFlush = 32;

  /// One number per row, and where its sum goes: to one slot, or to that of the bin of the segment
  /// and perhaps to that of its equally filled bin as well.
  struct Column {
    std::vector<float> value;  ///< in order of confidence
    std::size_t slot;
    bool binned = false;
    std::size_t mass_slot = kNowhere;
  };
  static constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);
  /// Rows, from where the segment before ends, of the same bins.
  struct Segment {
    std::size_t end;
    std::uint32_t bin, mass_bin;
  };
  struct Run {
    std::uint32_t slot, entries;
  };
  struct Chunk {
    std::size_t rows, segments, runs, entries;  ///< where the next one begins
  };

 private:
  void add_columns(const Scored& s, const Layout& layout, const Omitted& omitted);
  void add_chunk(const Scored& s, const RowPairs& pairs, std::size_t first);

  std::size_t slots_;
  std::vector<std::uint32_t> units_;  ///< of the rows, in order of confidence
  std::vector<Chunk> chunks_;
  std::vector<Column> columns_;
  std::vector<Segment> segments_;
  std::vector<Run> runs_;
  // Of every entry of the runs, one after the other: the row within its chunk, and the value.
  std::vector<std::uint8_t> row_;
  std::vector<float> value_;
  std::vector<std::uint32_t> place_;  ///< while packing: of the next entry of each slot
};

}  // namespace credence::metrics
