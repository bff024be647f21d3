#include "core/radix_sort.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/random.hpp"

namespace credence::core {
namespace {

struct Item {
  std::uint32_t key;
  std::size_t place;  ///< before sorting
  bool operator==(const Item&) const = default;
};

std::vector<Item> items(std::size_t count, std::uint32_t mask) {
  std::vector<Item> out;
  for (std::size_t i = 0; i < count; ++i) {
    out.push_back({static_cast<std::uint32_t>(random_bits(7, i, 0)) & mask, i});
  }
  return out;
}

/// Against the standard library: all keys, few keys (many ties), and keys that agree in two of the
/// three digits, where passes are left out.
TEST(RadixSort, OrdersLikeAStableSort) {
  for (const std::uint32_t mask : {0xffffffffu, 0x80000001u, 0x003ff800u, 0xffc00000u, 0x0u}) {
    for (const std::size_t count : {0u, 1u, 2u, 5000u}) {
      std::vector<Item> sorted = items(count, mask), wanted = sorted;
      radix_sort(sorted, [](const Item& item) { return item.key; });
      std::stable_sort(wanted.begin(), wanted.end(),
                       [](const Item& a, const Item& b) { return a.key < b.key; });
      EXPECT_EQ(sorted, wanted) << std::hex << mask << std::dec << " of " << count;
    }
  }
}

}  // namespace
}  // namespace credence::core
