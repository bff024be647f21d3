// Sorting pairs of numbers, by the first and then by the second, as std::sort does; for many a few
// times as fast as comparing them.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/radix_sort.hpp"

namespace credence::core {

/// No NaN may be among them.
inline void sort_pairs(std::vector<std::pair<double, double>>& pairs) {
  constexpr std::size_t kFew = 4096;
  if (pairs.size() < kFew) return std::sort(pairs.begin(), pairs.end());
  const auto ordered = [](double x) {
    constexpr std::uint64_t kSign = std::uint64_t{1} << 63U;
    const auto bits = std::bit_cast<std::uint64_t>(x + 0.0);  // the two zeros are equal
    return (bits & kSign) != 0 ? ~bits : bits | kSign;
  };
  for (const auto part : {&std::pair<double, double>::second, &std::pair<double, double>::first}) {
    for (const unsigned shift : {0U, 32U}) {
      radix_sort(pairs, [&](const std::pair<double, double>& pair) {
        return static_cast<std::uint32_t>(ordered(pair.*part) >> shift);
      });
    }
  }
}

}  // namespace credence::core
