// Sorting hashes, which are spread evenly: each is put into the bucket where it belongs, and hardly
// any has company there. Correct for all other numbers, and then no slower than sorting them.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace credence::core {

/// Sorts numbers that are at most `largest`, ascending.
inline void bucket_sort(std::span<std::uint64_t> numbers, std::uint64_t largest) {
  const auto bits = static_cast<unsigned>(std::bit_width(largest));
  const auto bucket_bits = std::min(static_cast<unsigned>(std::bit_width(numbers.size())), bits);
  const unsigned shift = bits - bucket_bits;
  if (numbers.size() < 2 || bits == 0) return;
  std::vector<std::size_t> ends((std::size_t{1} << bucket_bits) + 1, 0);
  for (const std::uint64_t number : numbers) ++ends[(number >> shift) + 1];
  for (std::size_t b = 1; b < ends.size(); ++b) ends[b] += ends[b - 1];
  std::vector<std::uint64_t> sorted(numbers.size());
  for (const std::uint64_t number : numbers) sorted[ends[number >> shift]++] = number;
  std::size_t first = 0;
  for (std::size_t b = 0; b + 1 < ends.size(); ++b) {  // ends[b] is now where bucket b ends
    if (ends[b] - first > 1) std::sort(sorted.data() + first, sorted.data() + ends[b]);
    first = ends[b];
  }
  std::ranges::copy(sorted, numbers.begin());
}

}  // namespace credence::core
