// The (slot, value) pairs that rows add to the sums, written out row by row.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "metrics/rows/scored.hpp"

namespace credence::metrics {

/// Row i adds value[j] to slot[j] for j in [first[i], first[i+1]). float32 is enough: only how sums
/// spread is computed from it, never a value itself.
struct RowPairs {
  std::vector<std::size_t> first{0};
  std::vector<std::uint32_t> slot;
  std::vector<float> value;

  void add(std::size_t at_slot, double amount) {
    if (amount == 0.0) return;
    slot.push_back(static_cast<std::uint32_t>(at_slot));
    value.push_back(static_cast<float>(amount));
  }
  void reserve(std::size_t rows, std::size_t pairs) {
    first.reserve(rows + 1);
    slot.reserve(pairs);
    value.reserve(pairs);
  }
  void end_row() { first.push_back(slot.size()); }
  void clear() {
    first.resize(1);
    slot.clear();
    value.clear();
  }
};

/// Bytes that the pairs of an evaluation take.
std::size_t pair_bytes(const Scored&);

/// Appends the pairs of the statistics of the row's votes: all but those of the classes.
void add_pairs(const Layout& layout, const RowScore& score, double confidence, std::size_t bin,
               std::size_t mass_bin, RowPairs& out);

/// The statistics with a single cell that are left out, because they are known otherwise.
using Omitted = std::array<bool, kScalars>;

/// All rows of an evaluation that kept them.
RowPairs row_pairs(const Scored& s, const Layout& layout);
/// Those of the classes alone, of the rows from `first` on.
RowPairs class_pairs(const Scored& s, const Layout& layout, std::size_t first);

}  // namespace credence::metrics
