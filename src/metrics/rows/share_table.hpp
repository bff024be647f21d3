// What a few votes of a few can be: the share c / m and all that is computed from it alone, looked
// up instead of computed for every row.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "metrics/rows/row_score.hpp"
#include "metrics/sums/chances.hpp"

namespace credence::metrics {

struct Share {
  double share = 0.0;
  double variance = 0.0;           ///< share (1 - share)
  std::int64_t entropy_steps = 0;  ///< its part of the entropy
  /// Equal shares have equal numbers; ChanceCounter::kNumbered: none.
  std::uint32_t number = ChanceCounter::kNumbered;
};

class ShareTable {
 public:
  /// The number of the share 0.
  static constexpr std::uint32_t kOfNothing = 0;
  /// c of m votes; not of whole numbers below kMost, these are computed.
  Share of(double c, double m) {
    if (!(m < kMost) || c != std::floor(c) || m != std::floor(m)) [[unlikely]]
      return computed(c, m);
    std::vector<Share>& row = rows_[static_cast<std::size_t>(m)];
    if (row.empty()) [[unlikely]]
      fill(static_cast<std::size_t>(m));
    return row[static_cast<std::size_t>(c)];
  }

 private:
  static constexpr int kMost = 64;
  static Share computed(double c, double m);
  void fill(std::size_t m);

  std::vector<Share> rows_[kMost];
  std::vector<double> numbered_{0.0};  ///< by number
};

}  // namespace credence::metrics
