#include "credence/split.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "credence/error.hpp"
#include "synthetic.hpp"

namespace credence {
namespace {

using testing::Each;
using testing::ElementsAre;

std::vector<std::uint32_t> uneven_labels(std::size_t rows) {
  std::vector<std::uint32_t> voted(rows);
  for (std::size_t i = 0; i < rows; ++i) voted[i] = i % 10 == 0 ? 2 : i % 3 == 0 ? 1 : 0;
  return voted;
}

Votes uneven_votes(std::size_t rows) { return Votes::from_labels(uneven_labels(rows), 3); }

TEST(StratifiedSplit, EveryRowGoesToExactlyOnePart) {
  const Split split = stratified_split(uneven_votes(101), 0.3, 7);
  std::set<std::size_t> all(split.calibration.begin(), split.calibration.end());
  all.insert(split.evaluation.begin(), split.evaluation.end());
  EXPECT_EQ(all.size(), 101u);
  EXPECT_EQ(split.calibration.size(), 30u);  // round(0.3 * 101)
  EXPECT_EQ(split.evaluation.size(), 71u);
  EXPECT_TRUE(std::ranges::is_sorted(split.calibration));
}

TEST(StratifiedSplit, EveryLabelGivesItsShareUpToOneRow) {
  const std::vector<std::uint32_t> voted = uneven_labels(1000);
  for (const double share : {0.1, 0.5, 0.77}) {
    const Split split = stratified_split(uneven_votes(1000), share, 42);
    std::map<std::uint32_t, double> total, taken;
    for (const std::uint32_t k : voted) ++total[k];
    for (const std::size_t i : split.calibration) ++taken[voted[i]];
    for (const auto& [label, count] : total) {
      EXPECT_NEAR(taken[label], share * count, 1.0) << "label " << label << ", share " << share;
    }
  }
}

TEST(StratifiedSplit, SeedsGiveOtherSplitsAndTheSameSeedTheSame) {
  const Votes votes = uneven_votes(200);
  EXPECT_EQ(stratified_split(votes, 0.5, 1).calibration,
            stratified_split(votes, 0.5, 1).calibration);
  EXPECT_NE(stratified_split(votes, 0.5, 1).calibration,
            stratified_split(votes, 0.5, 2).calibration);
}

TEST(StratifiedSplit, BothPartsGetARowHoweverExtremeTheShare) {
  for (const double share : {1e-9, 1.0 - 1e-9}) {
    const Split split = stratified_split(uneven_votes(4), share, 3);
    EXPECT_FALSE(split.calibration.empty());
    EXPECT_FALSE(split.evaluation.empty());
  }
}

TEST(StratifiedSplit, OneRowOrAnEmptyPartIsRefused) {
  EXPECT_THROW(stratified_split(uneven_votes(1), 0.5, 1), Error);
  EXPECT_THROW(stratified_split(uneven_votes(9), 0.0, 1), Error);
  EXPECT_THROW(stratified_split(uneven_votes(9), 1.0, 1), Error);
}

TEST(GroupSplit, NoGroupIsTornApart) {
  std::vector<std::uint32_t> groups;
  for (std::uint32_t g = 0; g < 40; ++g) groups.insert(groups.end(), 3 + g % 5, g);
  const Split split = group_split(groups, 0.5, 42);
  std::set<std::uint32_t> left, right;
  for (const std::size_t i : split.calibration) left.insert(groups[i]);
  for (const std::size_t i : split.evaluation) right.insert(groups[i]);
  for (const std::uint32_t g : left) EXPECT_FALSE(right.contains(g)) << "group " << g;
  // The nearest that whole groups of at most 7 rows allow.
  EXPECT_NEAR(static_cast<double>(split.calibration.size()),
              0.5 * static_cast<double>(groups.size()), 7.0);
}

TEST(GroupSplit, TwoGroupsGiveOneEachAndOneAloneIsRefused) {
  const std::vector<std::uint32_t> two{0, 0, 0, 0, 0, 0, 0, 1}, one{3, 3, 3};
  const Split split = group_split(two, 0.5, 1);
  EXPECT_FALSE(split.calibration.empty());
  EXPECT_FALSE(split.evaluation.empty());
  EXPECT_THROW(group_split(one, 0.5, 1), Error);
}

TEST(GivenSplit, ListedRowsCalibrateInAnyOrderAndTheOthersEvaluate) {
  const Split split = given_split(std::vector<std::size_t>{4, 0, 4}, 6);
  EXPECT_THAT(split.calibration, ElementsAre(0, 4));
  EXPECT_THAT(split.evaluation, ElementsAre(1, 2, 3, 5));
  EXPECT_THROW(given_split(std::vector<std::size_t>{6}, 6), Error);
  EXPECT_THROW(given_split(std::vector<std::size_t>{0, 1}, 2), Error);
}

TEST(Folds, EveryLabelIsSpreadEvenly) {
  const auto made = testing_data::make_synthetic(503, 4);
  const Votes& votes = made.data.votes;
  const std::vector<std::uint32_t> fold = make_folds(made.data, 5, 42);
  std::map<std::pair<std::uint32_t, std::uint32_t>, int> count;
  std::map<std::uint32_t, int> total;
  for (std::size_t i = 0; i < fold.size(); ++i) {
    ASSERT_LT(fold[i], 5u);
    ++count[{votes.voted(i), fold[i]}];
    ++total[votes.voted(i)];
  }
  for (const auto& [key, found] : count) EXPECT_NEAR(found, total[key.first] / 5.0, 1.0);
}

TEST(Folds, GroupsStayTogether) {
  Dataset data = testing_data::make_synthetic(300, 3).data;
  for (std::uint32_t i = 0; i < 300; ++i) data.groups.push_back(i / 10);
  const std::vector<std::uint32_t> fold = make_folds(data, 5, 42);
  std::vector<int> sizes(5, 0);
  for (std::size_t i = 0; i < 300; ++i) {
    EXPECT_EQ(fold[i], fold[i / 10 * 10]);
    ++sizes[fold[i]];
  }
  EXPECT_THAT(sizes, Each(60));  // 30 groups of 10 into 5 folds
}

}  // namespace
}  // namespace credence
