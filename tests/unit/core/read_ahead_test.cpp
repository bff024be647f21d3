#include "core/read_ahead.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

namespace credence::core {
namespace {

/// 0, 1, 2, ... up to `end`.
auto numbers(int end) {
  return [end, next = 0](std::vector<int>& value) mutable {
    value.assign(3, next);
    return next++ < end;
  };
}

TEST(ReadAhead, GivesEveryValueOnceAndInOrder) {
  ReadAhead<std::vector<int>> ahead;
  for (int round = 0; round < 3; ++round) {
    ahead.start(numbers(100));
    std::vector<int> value;
    for (int i = 0; i < 100; ++i) {
      ASSERT_TRUE(ahead.next(value));
      EXPECT_EQ(value, std::vector<int>(3, i));
    }
    EXPECT_FALSE(ahead.next(value));
    EXPECT_FALSE(ahead.next(value)) << "the end stays the end";
  }
}

TEST(ReadAhead, CanBeLeftInTheMiddleAndStartedAnew) {
  ReadAhead<std::vector<int>> ahead;
  std::vector<int> value;
  for (int stop_after = 0; stop_after < 5; ++stop_after) {
    ahead.start(numbers(50));
    for (int i = 0; i < stop_after; ++i) ASSERT_TRUE(ahead.next(value));
  }
  ahead.start(numbers(50));
  ASSERT_TRUE(ahead.next(value));
  EXPECT_EQ(value.front(), 0);
}

TEST(ReadAhead, ThrowsWhatWentWrongAfterTheValuesBefore) {
  ReadAhead<std::vector<int>> ahead;
  ahead.start([next = 0](std::vector<int>& value) mutable {
    if (next == 2) throw std::runtime_error("the disk is gone");
    value.assign(1, next++);
    return true;
  });
  std::vector<int> value;
  EXPECT_TRUE(ahead.next(value));
  EXPECT_TRUE(ahead.next(value));
  EXPECT_THROW(ahead.next(value), std::runtime_error);
}

}  // namespace
}  // namespace credence::core
