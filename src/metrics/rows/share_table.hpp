// What a few votes of a few can be: the share c / m and all that is computed from it alone, looked
// up instead of computed for every row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "metrics/rows/row_score.hpp"
#include "metrics/sums/chances.hpp"

namespace credence::metrics {

struct Share {
  double share = 0.0;
  double variance = 0.0;  ///< share (1 - share)
  bool looked_up = false;
  std::int64_t entropy_steps = 0;  ///< its part of the entropy, where it was looked up
  /// Equal shares that are looked up have equal numbers, and no others have one.
  std::uint32_t number = ChanceCounter::kNumbered;
};

class ShareTable {
 public:
  /// The number of the share 0.
  static constexpr std::uint32_t kOfNothing = 0;

  /// c of m votes, looked up where both are whole and few.
  Share of(double c, double m) {
    // Not above kMost, both have the same value as int32 unless they are fractions.
    if (m < kMost && c <= m) [[likely]] {
      const auto votes = static_cast<std::int32_t>(c), all = static_cast<std::int32_t>(m);
      if (static_cast<double>(votes) == c && static_cast<double>(all) == m) [[likely]] {
        std::vector<Share>& row = rows_[static_cast<std::size_t>(all)];
        if (row.empty()) [[unlikely]]
          fill(static_cast<std::size_t>(all));
        return row[static_cast<std::size_t>(votes)];
      }
    }
    const double share = c / m;
    return {.share = share,
            .variance = share * (1.0 - share),
            .looked_up = false,
            .entropy_steps = 0,
            .number = ChanceCounter::kNumbered};
  }
  /// The entropy of shares that were not all looked up.
  std::int64_t entropy_steps_of(std::span<const double> shares);

 private:
  static constexpr int kMost = 64;
  void fill(std::size_t m);

  std::vector<Share> rows_[kMost];
  std::vector<double> numbered_{0.0};  ///< by number
  std::vector<double> logs_;
};

}  // namespace credence::metrics
