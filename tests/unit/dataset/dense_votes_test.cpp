#include "dataset/dense_votes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "core/random.hpp"

namespace credence::dataset {
namespace {

/// A few counts in each row, most of them 0.
template <class T>
std::vector<T> some_counts(std::size_t rows, std::size_t classes) {
  std::vector<T> all(rows * classes, T(0));
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t vote = 0; vote < 5; ++vote) {
      const double at = core::uniform(3, i, vote) * static_cast<double>(classes);
      all[i * classes + static_cast<std::size_t>(at)] += T(1);
    }
  }
  return all;
}

template <class T>
Matrix<double> in_double(const std::vector<T>& values, std::size_t classes) {
  return {std::vector<double>(values.begin(), values.end()), values.size() / classes, classes};
}

void expect_same_votes(const Votes& found, const Votes& wanted) {
  using testing::ElementsAreArray;
  EXPECT_THAT(found.offsets(), ElementsAreArray(wanted.offsets()));
  EXPECT_THAT(found.entry_classes(), ElementsAreArray(wanted.entry_classes()));
  EXPECT_THAT(found.entry_weights(), ElementsAreArray(wanted.entry_weights()));
  EXPECT_THAT(found.voted(), ElementsAreArray(wanted.voted()));
  for (std::size_t i = 0; i < wanted.rows(); ++i) EXPECT_EQ(found.total(i), wanted.total(i));
  EXPECT_EQ(found.ties(), wanted.ties());
  EXPECT_EQ(found.evidence(), wanted.evidence());
  EXPECT_EQ(found.are_shares(), wanted.are_shares());
  EXPECT_EQ(found.classes(), wanted.classes());
}

template <class T>
class DenseVotes : public testing::Test {};
using CountTypes =
    testing::Types<float, double, std::int8_t, std::int16_t, std::int32_t, std::int64_t,
                   std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(DenseVotes, CountTypes);

TYPED_TEST(DenseVotes, AreThoseOfTheMatrix) {
  for (const std::size_t classes :
       {1u, 2u, 10u, 31u, 32u, 33u, 64u, 65u, 100u, 128u, 2049u, 2111u, 2112u, 4300u}) {
    const std::vector<TypeParam> all = some_counts<TypeParam>(700, classes);
    const auto found = dense_votes(all.data(), 700, classes);
    ASSERT_TRUE(found);
    expect_same_votes(*found, Votes::from_counts(in_double(all, classes).view()));
  }
}

/// Enough rows for each thread to have some; a fraction, ties and shares among those of another.
TEST(DenseVotes, AreTheSameForAnyNumberOfThreads) {
  for (const std::size_t classes : {10u, 130u}) {
    const std::size_t rows = 700000 / classes;
    std::vector<float> all = some_counts<float>(rows, classes);
    const auto expect_same = [&] {
      const auto wanted = dense_votes(all.data(), rows, classes, 1);
      ASSERT_TRUE(wanted);
      for (const int threads : {2, 3, 8}) {
        const auto found = dense_votes(all.data(), rows, classes, threads);
        ASSERT_TRUE(found);
        expect_same_votes(*found, *wanted);
      }
    };
    expect_same();
    all[(rows - 1) * classes] = 0.25f;
    expect_same();
    all[(rows - 1) * classes] = -1.0f;
    for (const int threads : {1, 2, 8}) {
      EXPECT_FALSE(dense_votes(all.data(), rows, classes, threads));
    }
  }
}

TYPED_TEST(DenseVotes, TakeRowsOfAllAnswersAndLargeCounts) {
  for (const std::size_t classes : {3u, 10u, 64u, 65u}) {
    std::vector<TypeParam> all = some_counts<TypeParam>(300, classes);
    std::fill_n(all.begin() + static_cast<std::ptrdiff_t>(7 * classes), classes, TypeParam(100));
    all[9 * classes + 1] = std::numeric_limits<TypeParam>::max();
    const auto found = dense_votes(all.data(), 300, classes);
    ASSERT_TRUE(found);
    expect_same_votes(*found, Votes::from_counts(in_double(all, classes).view()));
  }
}

TEST(DenseVotes, TakeFractionsAmongWholeNumbers) {
  for (const std::size_t classes : {3u, 10u, 40u}) {
    std::vector<double> all = some_counts<double>(900, classes);
    all[450 * classes] = 0.1;      // float32 has no such number
    all[451 * classes] = 1e-300;   // nor this one
    all[452 * classes + 2] = 2.5;  // a tie of fractions
    all[452 * classes + 1] = 2.5;
    const auto found = dense_votes(all.data(), 900, classes);
    ASSERT_TRUE(found);
    expect_same_votes(*found, Votes::from_counts(in_double(all, classes).view()));
  }
}

TYPED_TEST(DenseVotes, LeaveARowWithoutVotesToOthers) {
  std::vector<TypeParam> all = some_counts<TypeParam>(50, 40);
  std::fill_n(all.begin() + 49 * 40, 40, TypeParam(0));
  EXPECT_FALSE(dense_votes(all.data(), 50, 40));
}

TEST(DenseVotes, LeaveWhatIsNoCountToOthers) {
  const double largest = std::numeric_limits<double>::max();
  for (const double bad : {-1.0, -1e-300, std::nan(""), HUGE_VAL, -HUGE_VAL}) {
    for (const std::size_t place : {0u, 39u, 40u * 29u + 7u}) {
      std::vector<double> all = some_counts<double>(30, 40);
      all[place] = bad;
      EXPECT_FALSE(dense_votes(all.data(), 30, 40)) << bad;
    }
  }
  const std::vector<double> huge{largest, 1.0, 0.5, 0.0};
  EXPECT_TRUE(dense_votes(huge.data(), 2, 2));
  EXPECT_FALSE(dense_votes(std::vector<int>{}.data(), 0, 3));
}

TEST(DenseVotes, KnowSharesAndSingleAnswers) {
  const std::vector<float> shares{0.25f, 0.75f, 1.0f, 0.0f};
  EXPECT_TRUE(dense_votes(shares.data(), 2, 2)->are_shares());
  const std::vector<int> single{0, 1, 1, 0};
  EXPECT_EQ(dense_votes(single.data(), 2, 2)->evidence(), Evidence::annotations);
  const std::vector<int> tied{2, 2, 1, 0};
  EXPECT_EQ(dense_votes(tied.data(), 2, 2)->ties(), 1u);
  EXPECT_EQ(dense_votes(tied.data(), 2, 2)->voted(0), 0u);
}

}  // namespace
}  // namespace credence::dataset
