// What the rows of an evaluation add to the sums, in the order in which resamples add it up
// fastest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "metrics/bootstrap/row_pairs.hpp"

namespace credence::metrics {

/// Rows are taken block by block, a chunk at a time, so that the weights of a chunk stay in the
/// nearest cache. The columns of the single sums are added up three at a time, in the order of the
/// rows. Those of bins take the rows of a block in order of confidence: neighbours fall into the
/// same bin, and are a segment. The pairs of the classes are taken slot by slot: a run. The sums of
/// segments and runs stay in registers.
class PackedRows {
 public:
  /// The rows from number `first` of `s` on, the first of a block; unit[i]: what row first + i is
  /// drawn with.
  PackedRows(const Scored& s, const Layout& layout, const Omitted& omitted,
             std::span<const std::uint32_t> unit, std::size_t first = 0);

  /// sums[slot * kLanes + lane] += sum of value * weight[unit * kLanes + lane]. float32 within a
  /// block, which keeps the relative error below 1e-6 at half the cost. What a block adds is
  /// rounded to a multiple of kSumStep, so that sums below 2^31 are exact, whoever adds which
  /// blocks first. The same bits whatever the processor: every lane is a sum of its own.
  void add_up(const std::uint8_t* weight, double* sums) const;

  static constexpr std::size_t kChunk = 128;
  static_assert(kBlockRows % kChunk == 0);

  /// One number per row, and where its sum goes: to one slot, or to that of the segment's bin.
  struct Column {
    std::vector<float> value;
    std::size_t slot;
    bool binned = false;
  };
  /// Rows, from where the segment before ends, of one bin.
  struct Segment {
    std::size_t end;
    std::uint32_t bin;
  };
  struct Run {
    std::uint32_t slot, entries;
  };
  /// Columns over segments of their own.
  struct Binned {
    std::vector<Column> columns;
    std::vector<Segment> segments;
    /// The next row, of this bin; segments do not cross chunks.
    void add_row(std::size_t row, std::uint32_t bin);
  };
  struct Chunk {
    std::size_t rows, segments, mass_segments, runs, entries;  ///< where the next one begins
  };

 private:
  void add_columns(const Scored& s, const Layout& layout, const Omitted& omitted);
  void add_chunk(const Scored& s, const RowPairs& pairs, std::size_t first);

  std::size_t slots_, first_;
  std::vector<std::uint32_t> order_;  ///< by confidence, as numbers from first_ on
  std::vector<std::uint32_t> units_, sorted_units_;
  std::vector<Chunk> chunks_;
  std::vector<Column> single_;
  Binned by_bin_;
  Binned by_mass_;  ///< of equally filled bins, where these are known
  std::vector<Run> runs_;
  // Of every entry of the runs, one after the other: the row within its chunk, and the value.
  std::vector<std::uint8_t> row_;
  std::vector<float> value_;
  std::vector<std::uint32_t> place_;  ///< while packing: of the next entry of each slot
};

/// What the sums of a block are multiples of.
inline constexpr double kSumStep = 0x1.0p-22;

}  // namespace credence::metrics
