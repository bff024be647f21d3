// Sums over blocks have one shape, whoever adds them.
#include "credence/block_sums.hpp"

#include <gtest/gtest.h>

#include "synthetic.hpp"

namespace credence {
namespace {

std::vector<double> block(std::uint64_t number) {
  // Sizes from 1e-8 to 1e8: another order of adding would show in the last bits.
  return {testing_data::normal(1, number, 0) * std::pow(10.0, double(number % 17) - 8.0),
          testing_data::normal(1, number, 1)};
}

BlockSums run_of(std::uint64_t first, std::uint64_t end) {
  BlockSums sums;
  for (std::uint64_t b = first; b < end; ++b) sums.push(b, block(b));
  return sums;
}

TEST(BlockSums, AnyDivisionIntoRunsMergesToTheSameNodes) {
  for (std::uint64_t count = 1; count <= 70; ++count) {
    const BlockSums whole = run_of(0, count);
    for (std::uint64_t cut = 1; cut < count; ++cut) {
      for (std::uint64_t other = cut; other < count; ++other) {
        // From the left, and the right two first.
        BlockSums left = run_of(0, cut), middle = run_of(cut, other), right = run_of(other, count);
        BlockSums from_left = left;
        from_left.merge(middle);
        from_left.merge(right);
        middle.merge(right);
        left.merge(middle);
        ASSERT_EQ(from_left, whole) << count << " blocks cut at " << cut << " and " << other;
        ASSERT_EQ(left, whole) << count << " blocks cut at " << cut << " and " << other;
      }
    }
  }
}

TEST(BlockSums, ARunKeepsAtMostTwoNodesPerLevel) {
  for (const std::uint64_t first : {0, 1, 5, 1023}) {
    const BlockSums sums = run_of(first, first + 1000);
    std::map<std::uint32_t, int> at_level;
    for (const BlockSums::Node& node : sums.nodes()) ++at_level[node.level];
    for (const auto& [level, count] : at_level) EXPECT_LE(count, 2) << "level " << level;
  }
}

TEST(BlockSums, TotalIsTheSumOfTheBlocks) {
  // Whole numbers add without rounding, in any order.
  BlockSums sums;
  for (std::uint64_t b = 0; b < 1000; ++b) sums.push(b, std::vector<double>{double(b), 1.0});
  EXPECT_EQ(sums.total(), (std::vector<double>{499500.0, 1000.0}));
}

}  // namespace
}  // namespace credence
