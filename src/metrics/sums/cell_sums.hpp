// Sums over the rows that fall into each of many cells: confidence bins, or classes and bins of
// their probability. Only cells with rows are stored, so that many bins cost no more than the rows.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "credence/block_sums.hpp"

namespace credence::metrics {

/// The rows of a confidence bin. A gap is conf - r.
struct BinTotals {
  double count = 0.0;
  double confidence = 0.0, agreement = 0.0, hit = 0.0;
  double certain = 0.0;  ///< rows with r = 1
  double gap = 0.0, gap_square = 0.0, voted_gap = 0.0;
  double variance = 0.0;  ///< of r (1 - r)
  double spread = 0.0;    ///< of the squares of gap less mean gap of the bin
  bool operator==(const BinTotals&) const = default;
};

/// The rows whose probability of a class lies in a bin.
struct ClassTotals {
  double count = 0.0;
  double probability = 0.0, gap = 0.0;  ///< of p_k, and of p_k - pi_k
  double variance = 0.0;                ///< of pi_k (1 - pi_k)
  double certain = 0.0;                 ///< rows with pi_k = 1
  bool operator==(const ClassTotals&) const = default;
};

template <class Totals>
using NumbersOf = std::array<double, sizeof(Totals) / sizeof(double)>;

template <class Totals>
Totals plain_sum(const Totals& left, const Totals& right) {
  auto sum = std::bit_cast<NumbersOf<Totals>>(left);
  const auto more = std::bit_cast<NumbersOf<Totals>>(right);
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += more[i];
  return std::bit_cast<Totals>(sum);
}
inline ClassTotals sum_of(const ClassTotals& left, const ClassTotals& right) {
  return plain_sum(left, right);
}
/// Squares about the common mean: those about the two means and what lies between them (Chan,
/// Golub, LeVeque 1983). Sums of squares would lose all digits where gaps hardly vary.
inline BinTotals sum_of(const BinTotals& left, const BinTotals& right) {
  BinTotals sum = plain_sum(left, right);
  const double apart = left.gap / left.count - right.gap / right.count;
  sum.spread += apart * apart * (left.count * right.count / sum.count);
  return sum;
}

template <class Totals>
struct CellSums {
  std::vector<std::uint32_t> cells;  ///< those with rows, ascending
  std::vector<Totals> totals;        ///< one for each
  bool operator==(const CellSums&) const = default;

  void push(std::uint32_t cell, const Totals& of_cell) {
    cells.push_back(cell);
    totals.push_back(of_cell);
  }
};

template <class Totals>
void add_sums(const CellSums<Totals>& right, CellSums<Totals>& left) {
  if (left.cells == right.cells) {
    for (std::size_t i = 0; i < left.totals.size(); ++i) {
      left.totals[i] = sum_of(left.totals[i], right.totals[i]);
    }
    return;
  }
  CellSums<Totals> both;
  both.cells.reserve(left.cells.size() + right.cells.size());
  both.totals.reserve(both.cells.capacity());
  std::size_t l = 0, r = 0;
  while (l < left.cells.size() || r < right.cells.size()) {
    const bool from_left =
        r == right.cells.size() || (l < left.cells.size() && left.cells[l] <= right.cells[r]);
    const bool from_right =
        l == left.cells.size() || (r < right.cells.size() && right.cells[r] <= left.cells[l]);
    if (from_left && from_right) {
      both.push(left.cells[l], sum_of(left.totals[l], right.totals[r]));
    } else if (from_left) {
      both.push(left.cells[l], left.totals[l]);
    } else {
      both.push(right.cells[r], right.totals[r]);
    }
    l += from_left ? 1 : 0;
    r += from_right ? 1 : 0;
  }
  left = std::move(both);
}

using BinTree = BlockTree<CellSums<BinTotals>>;
using ClassTree = BlockTree<CellSums<ClassTotals>>;

/// The cells of one block of rows while they are added to.
template <class Totals>
class CellBlock {
 public:
  explicit CellBlock(std::size_t cells) : totals_(cells) {}

  /// The totals of a cell, one row more.
  Totals& with_row(std::size_t cell) {
    Totals& found = totals_[cell];
    if (found.count == 0.0) touched_.push_back(static_cast<std::uint32_t>(cell));
    found.count += 1.0;
    return found;
  }
  Totals& operator[](std::size_t cell) { return totals_[cell]; }

  /// The sums, after which all cells are empty again.
  CellSums<Totals> take() {
    std::sort(touched_.begin(), touched_.end());
    CellSums<Totals> sums;
    sums.totals.reserve(touched_.size());
    for (const std::uint32_t cell : touched_) {
      sums.totals.push_back(std::exchange(totals_[cell], Totals{}));
    }
    sums.cells = touched_;
    touched_.clear();
    return sums;
  }

 private:
  std::vector<Totals> totals_;
  std::vector<std::uint32_t> touched_;
};

}  // namespace credence::metrics
