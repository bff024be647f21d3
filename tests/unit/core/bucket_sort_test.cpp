#include "core/bucket_sort.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/random.hpp"

namespace credence::core {
namespace {

/// Against the standard library: spread evenly, all in one bucket, few different ones, and limits
/// that fill their highest bit or do not.
TEST(BucketSort, OrdersLikeTheStandardLibrary) {
  const std::uint64_t most = (std::uint64_t{1} << 48U) - 1;
  for (const std::uint64_t largest : {most, most / 3, std::uint64_t{5}, std::uint64_t{0}}) {
    for (const std::uint64_t divisor : {std::uint64_t{1}, std::uint64_t{1} << 40U}) {
      for (const std::size_t count : {0U, 1U, 2U, 777U, 4096U}) {
        std::vector<std::uint64_t> numbers(count);
        for (std::size_t i = 0; i < count; ++i) {
          numbers[i] = random_bits(11, i, 0) % (largest / divisor + 1);
        }
        if (count > 0) numbers[count / 2] = largest;
        std::vector<std::uint64_t> wanted = numbers;
        std::ranges::sort(wanted);
        bucket_sort(numbers, largest);
        EXPECT_EQ(numbers, wanted) << largest << ' ' << divisor << ' ' << count;
      }
    }
  }
}

}  // namespace
}  // namespace credence::core
