#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "credence/dataset.hpp"
#include "credence/error.hpp"
#include "errors.hpp"

namespace credence {
namespace {

using test::error_of;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr double kNanVote = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfiniteVotes = std::numeric_limits<double>::infinity();

Votes counts(std::vector<double> values, std::size_t cols, std::string_view origin = "v.npy") {
  const std::size_t rows = values.size() / cols;
  return Votes::from_counts(Rows(values.data(), rows, cols), origin);
}

TEST(Votes, CountsKeepOnlyWhatWasChosen) {
  const Votes votes = counts({0, 3, 0, 2, 0, 1}, 3);
  EXPECT_EQ(votes.rows(), 2u);
  EXPECT_EQ(votes.classes(), 3u);
  EXPECT_EQ(votes.entries(), 3u);
  EXPECT_THAT(votes.row(0).classes, ElementsAre(1));
  EXPECT_THAT(votes.row(1).classes, ElementsAre(0, 2));
  EXPECT_THAT(votes.row(1).weights, ElementsAre(2, 1));
  EXPECT_EQ(votes.total(1), 3.0);
  EXPECT_EQ(votes.share(1, 0), 2.0 / 3.0);
  EXPECT_EQ(votes.share(1, 1), 0.0);
  EXPECT_EQ(votes.share(1, 2), 1.0 / 3.0);
}

TEST(Votes, TiesGoToTheLowestClassAndAreCounted) {
  const Votes votes = counts({1, 2, 2, 5, 0, 0, 3, 3, 3}, 3);
  EXPECT_THAT(votes.voted(), ElementsAre(1, 0, 0));
  EXPECT_EQ(votes.ties(), 2u);
}

TEST(Votes, AnswersInAnyOrderGiveTheSameVotes) {
  const std::vector<Annotation> one = {{0, 2}, {1, 0}, {0, 1}, {0, 2}, {1, 0}};
  const std::vector<Annotation> other = {{1, 0}, {1, 0}, {0, 2}, {0, 2}, {0, 1}};
  const Votes a = Votes::from_annotations(one, 2, 3), b = Votes::from_annotations(other, 2, 3);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_THAT(a.row(i).classes, testing::ElementsAreArray(b.row(i).classes));
    EXPECT_THAT(a.row(i).weights, testing::ElementsAreArray(b.row(i).weights));
  }
  EXPECT_THAT(a.row(0).classes, ElementsAre(1, 2));
  EXPECT_THAT(a.row(0).weights, ElementsAre(1, 2));
}

TEST(Votes, EvidenceIsWhatTheVotesCanTell) {
  EXPECT_EQ(Votes::from_labels(std::vector<std::uint32_t>{0, 1}, 2).evidence(), Evidence::voted);
  EXPECT_EQ(counts({0, 1, 1, 0}, 2).evidence(), Evidence::annotations);
  EXPECT_EQ(counts({0, 1, 1, 1}, 2).evidence(), Evidence::distributions);
  EXPECT_EQ(counts({0.5, 0.5, 1, 0}, 2).evidence(), Evidence::distributions);
  EXPECT_EQ(Votes().evidence(), Evidence::none);
}

TEST(Votes, FractionsThatAddUpToOneAreShares) {
  EXPECT_TRUE(counts({0.25, 0.75, 1, 0}, 2).are_shares());
  EXPECT_TRUE(counts({0.333, 0.667, 0.1f, 0.9f}, 2).are_shares());
  EXPECT_FALSE(counts({1, 0, 0, 1}, 2).are_shares());
  EXPECT_FALSE(counts({0.5, 1.5, 1, 0}, 2).are_shares());
}

TEST(Votes, BadCountsNameFileRowColumnAndValue) {
  const Error negative = error_of([] { counts({1, 0, 0, 0, 2, -2}, 3, "votes.npy"); });
  EXPECT_STREQ(negative.what(),
               "votes.npy: row 1, column 2: vote count is -2; votes cannot be negative");
  EXPECT_THAT(error_of([] {
                counts({1, kNanVote}, 2);
              }).what(),
              HasSubstr("row 0, column 1: vote "));
  EXPECT_THAT(error_of([] {
                counts({kInfiniteVotes, 1}, 2);
              }).what(),
              HasSubstr("inf; votes must be fini"));
  EXPECT_THAT(error_of([] { counts({-kInfiniteVotes, 1}, 2); }).what(), HasSubstr("finite"));
}

TEST(Votes, ARowWithoutVotesIsRefusedWithTheWayOut) {
  const Error error = error_of([] { counts({1, 0, 0, 0}, 2, "v.npy"); });
  EXPECT_STREQ(error.what(), "v.npy: row 1: no votes; every example needs at least one");
  EXPECT_THAT(error.hint(), HasSubstr("‹skip_rows=FILE›"));
  const std::vector<Annotation> first_only = {{0, 1}};
  EXPECT_THAT(error_of([&] { Votes::from_annotations(first_only, 2, 2); }).what(),
              HasSubstr("votes: row 1: no votes"));
  const std::vector<Annotation> no_weight = {{0, 1, 0.0}};
  EXPECT_THAT(error_of([&] { Votes::from_annotations(no_weight, 1, 2); }).what(),
              HasSubstr("no votes"));
}

TEST(Votes, LabelsOutOfRangeAreRefused) {
  const std::vector<std::uint32_t> labels = {0, 3};
  EXPECT_STREQ(error_of([&] { Votes::from_labels(labels, 3, "y.npy"); }).what(),
               "y.npy: row 1: label is 3; labels run from 0 to 2");
  const std::vector<Annotation> wrong_label = {{0, 2}}, wrong_example = {{1, 0}};
  EXPECT_THAT(error_of([&] { Votes::from_annotations(wrong_label, 1, 2); }).what(),
              HasSubstr("label is 2"));
  EXPECT_THAT(error_of([&] { Votes::from_annotations(wrong_example, 1, 2); }).what(),
              HasSubstr("example 1; there are 1 examples"));
}

TEST(Votes, CompressedRowsAreCheckedLikeAnyOther) {
  const Votes votes = Votes::from_compressed({0, 2, 3}, {0, 2, 1}, {1, 4, 2}, 3);
  EXPECT_THAT(votes.voted(), ElementsAre(2, 1));
  EXPECT_THROW(Votes::from_compressed({0, 2}, {2, 0}, {1, 1}, 3), Error);
  EXPECT_THROW(Votes::from_compressed({0, 2}, {1, 1}, {1, 1}, 3), Error);
  EXPECT_THROW(Votes::from_compressed({0, 1}, {3}, {1}, 3), Error);
  EXPECT_THROW(Votes::from_compressed({0, 1}, {0}, {0}, 3), Error);
  EXPECT_THROW(Votes::from_compressed({0, 1}, {0}, {-1}, 3), Error);
  EXPECT_THROW(Votes::from_compressed({0, 0, 1}, {0}, {1}, 3), Error);
  EXPECT_THROW(Votes::from_compressed({0, 5, 1}, {0}, {1}, 3), Error);
  EXPECT_THROW(Votes::from_compressed({}, {}, {}, 3), Error);
}

TEST(Votes, SelectionKeepsOrderRepeatsAndKind) {
  const Votes votes = counts({1, 1, 0, 4, 2, 0}, 2).select(std::vector<std::size_t>{2, 0, 2});
  EXPECT_EQ(votes.rows(), 3u);
  EXPECT_THAT(votes.row(0).classes, ElementsAre(0));
  EXPECT_EQ(votes.total(1), 2.0);
  EXPECT_EQ(votes.ties(), 1u);
  const Votes labels = Votes::from_labels(std::vector<std::uint32_t>{0, 1, 1}, 2);
  EXPECT_EQ(labels.select(std::vector<std::size_t>{1}).evidence(), Evidence::voted);
  EXPECT_THROW(labels.select(std::vector<std::size_t>{3}), Error);
}

TEST(Votes, RelabellingMovesVotesAndReversesItself) {
  const Votes votes = counts({3, 1, 0, 0, 2, 2}, 3);
  const std::vector<std::uint32_t> there = {2, 0, 1}, back = {1, 2, 0};
  const Votes moved = votes.relabel(there, 3);
  for (std::size_t i = 0; i < 2; ++i) {
    for (std::uint32_t k = 0; k < 3; ++k) EXPECT_EQ(moved.share(i, there[k]), votes.share(i, k));
  }
  EXPECT_THAT(moved.voted(), ElementsAre(2, 0));
  const Votes again = moved.relabel(back, 3);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_THAT(again.row(i).classes, testing::ElementsAreArray(votes.row(i).classes));
  }
  EXPECT_THROW(votes.relabel(std::vector<std::uint32_t>{0, 0, 1}, 3), Error);
  EXPECT_THROW(votes.relabel(std::vector<std::uint32_t>{0, 1}, 3), Error);
  EXPECT_THROW(votes.relabel(std::vector<std::uint32_t>{0, 1, 3}, 3), Error);
}

TEST(Votes, AThousandClassesCostWhatTheVotesCost) {
  std::vector<Annotation> answers;
  for (std::size_t i = 0; i < 1000; ++i) {
    for (std::uint32_t a = 0; a < 5; ++a) {
      answers.push_back({i, static_cast<std::uint32_t>((i * 7 + a * 13) % 1000)});
    }
  }
  const Votes votes = Votes::from_annotations(answers, 1000, 1000);
  EXPECT_EQ(votes.entries(), 5000u);
}

}  // namespace
}  // namespace credence
