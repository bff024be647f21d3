// Figures with a line per class show at most this many of them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

namespace credence::figure {

inline constexpr std::size_t kMostClasses = 40;

/// All classes in their own order, or those with most weight, in their own order too. Ties go to
/// the lower index.
inline std::vector<std::size_t> top_classes(const std::vector<double>& weight, std::size_t count) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (count <= kMostClasses) return order;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return weight[a] > weight[b]; });
  order.resize(kMostClasses);
  std::sort(order.begin(), order.end());
  return order;
}

}  // namespace credence::figure
