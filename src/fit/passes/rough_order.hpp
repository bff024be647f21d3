// The order of rows by confidence, as far as a first look in float32 tells.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/radix_sort.hpp"

namespace credence::fit_detail {

/// A row by what its other classes weigh beside the predicted one: 1 / confidence - 1, without the
/// last two bits of float32, which are not certain anyway and would take time to sort by.
struct RoughRow {
  std::uint32_t key;  ///< rises with confidence
  std::uint32_t row;

  static RoughRow of(float others, std::size_t row) {
    const auto bits = std::bit_cast<std::uint32_t>(others);
    return {(kInfinite - bits) >> kBitsLeftOut, static_cast<std::uint32_t>(row)};
  }
  float others() const { return std::bit_cast<float>(kInfinite - (key << kBitsLeftOut)); }

 private:
  static constexpr std::uint32_t kInfinite = 0x7f800000;  // bits of a finite number are below
  static constexpr unsigned kBitsLeftOut = 2;
};

/// Where 1 / confidence - 1 surely lies, as double computes it.
struct OthersRange {
  double low, high;
};

class RoughOthers {
 public:
  explicit RoughOthers(std::size_t classes);
  OthersRange range(float others) const {
    const auto power =
        static_cast<std::int32_t>(127U - (std::bit_cast<std::uint32_t>(others) >> 23U));
    const double off = (in_sum_ + kPerPower * static_cast<double>(std::max(power, 0))) * 0x1p-24;
    const double middle = others, margin = middle * off + (1.0 + middle) * in_double_;
    return {middle - margin, middle + margin};
  }

 private:
  static constexpr double kPerPower = 2.5;
  double in_sum_, in_double_;
};

/// Neighbouring rows [first, end) whose order is not known.
struct RowRun {
  std::uint32_t first, end;
  bool operator==(const RowRun&) const = default;
};

/// Rows by confidence, and those of them whose ranges overlap. Others, in another run or in none,
/// have another confidence.
class RoughOrder {
 public:
  RoughOrder(std::vector<RoughRow> rows, std::size_t classes);

  std::span<const RoughRow> rows() const { return rows_; }
  /// Of two rows or more.
  std::span<const RowRun> runs() const { return runs_; }
  /// Of the row at this place, which may be alone.
  RowRun run_at(std::size_t place) const;
  /// Where a row of this confidence would be, but for its run; and whether it may be in that of the
  /// row at a place beside it.
  std::size_t place_of(double confidence) const;
  bool may_be_at(std::size_t place, double confidence) const;

 private:
  std::vector<RoughRow> rows_;
  RoughOthers rough_;
  std::vector<RowRun> runs_;
};

}  // namespace credence::fit_detail
