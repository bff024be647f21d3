#include "credence/dataset.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "credence/error.hpp"

namespace credence {
namespace {

using testing::ElementsAre;

const std::vector<float> kScores = {1, 2, 3, 4, 5, 6};
const std::vector<std::uint32_t> kLabels = {0, 1, 1};

Dataset sample(std::vector<std::string> classes = {}) {
  return make_dataset(Scores(kScores.data(), 3, 2), ScoreKind::logits,
                      Votes::from_labels(kLabels, 2), std::move(classes));
}

TEST(MakeDataset, BorrowsScoresThatAreReady) {
  const Dataset data = sample();
  EXPECT_EQ(data.scores.data(), kScores.data());
  EXPECT_EQ(data.owner, nullptr);
  EXPECT_EQ(data.evidence(), Evidence::voted);
}

TEST(MakeDataset, OwnsWhatItHadToConvert) {
  const std::vector<float> probs = {0.0f, 1.0f};
  const Dataset data = make_dataset(Scores(probs.data(), 1, 2), ScoreKind::probs, Votes());
  EXPECT_NE(data.owner, nullptr);
  EXPECT_EQ(data.clipped, 1u);
  EXPECT_EQ(data.scores(0, 1), 0.0f);
  EXPECT_EQ(data.evidence(), Evidence::none);
}

TEST(MakeDataset, RefusesShapesThatDoNotFit) {
  const Scores scores(kScores.data(), 3, 2);
  const Votes two_rows = Votes::from_labels(std::vector<std::uint32_t>{0, 1}, 2);
  EXPECT_THROW(make_dataset(scores, ScoreKind::logits, two_rows), Error);
  EXPECT_THROW(make_dataset(scores, ScoreKind::logits, Votes::from_labels(kLabels, 3)), Error);
  EXPECT_THROW(make_dataset(scores, ScoreKind::logits, Votes(), {"only one"}), Error);
  EXPECT_THROW(make_dataset(Scores(kScores.data(), 6, 1), ScoreKind::logits, Votes()), Error);
  EXPECT_THROW(make_dataset(Scores(kScores.data(), 0, 2), ScoreKind::logits, Votes()), Error);
}

TEST(Dataset, SelectionTakesEverythingAlong) {
  Dataset data = sample({"a", "b"});
  data.ids = {"x", "y", "z"};
  data.groups = {7, 8, 7};
  const Dataset picked = data.select(std::vector<std::size_t>{2, 0});
  EXPECT_THAT(picked.scores.row(0), ElementsAre(5, 6));
  EXPECT_THAT(picked.scores.row(1), ElementsAre(1, 2));
  EXPECT_THAT(picked.votes.voted(), ElementsAre(1, 0));
  EXPECT_THAT(picked.ids, ElementsAre("z", "x"));
  EXPECT_THAT(picked.groups, ElementsAre(7, 7));
  EXPECT_THAT(picked.classes, ElementsAre("a", "b"));
  EXPECT_THROW(data.select(std::vector<std::size_t>{3}), Error);
}

TEST(Fingerprint, IsThirtyTwoHexadecimalDigitsOfTheData) {
  const std::string print = sample().fingerprint();
  EXPECT_EQ(print.size(), 32u);
  EXPECT_EQ(print.find_first_not_of("0123456789abcdef"), std::string::npos);
  EXPECT_EQ(print, sample().fingerprint());
  Dataset copy = sample().select(std::vector<std::size_t>{0, 1, 2});
  EXPECT_EQ(print, copy.fingerprint());
  copy.ids = {"ids", "are", "not data"};
  EXPECT_EQ(print, copy.fingerprint());
}

TEST(Fingerprint, ChangesWithScoresVotesAndClasses) {
  const std::string print = sample({"a", "b"}).fingerprint();
  EXPECT_NE(print, sample({"b", "a"}).fingerprint());
  EXPECT_NE(print, sample({"ab", "c"}).fingerprint());
  EXPECT_NE(sample({"ab", "c"}).fingerprint(), sample({"a", "bc"}).fingerprint());
  std::vector<float> other = kScores;
  other[4] = std::nextafter(other[4], 9.0f);
  Dataset moved = sample({"a", "b"});
  moved.scores = Scores(other.data(), 3, 2);
  EXPECT_NE(print, moved.fingerprint());
  Dataset revoted = sample({"a", "b"});
  revoted.votes = Votes::from_labels(std::vector<std::uint32_t>{1, 1, 1}, 2);
  EXPECT_NE(print, revoted.fingerprint());
  Dataset reshaped = sample({"a", "b"});
  reshaped.scores = Scores(kScores.data(), 2, 3);
  EXPECT_NE(print, reshaped.fingerprint());
}

// Model files carry the fingerprint: it must not change between builds or machines.
// The number was computed with the Python package xxhash from the definition in solver.md.
TEST(Fingerprint, OfKnownDataIsKnown) {
  EXPECT_EQ(sample({"a", "b"}).fingerprint(), "3d7366b9544596a23339d18f5b1c6f76");
}

TEST(Names, OfEvidenceAndKindsAreStable) {
  EXPECT_EQ(to_string(Evidence::distributions), "distributions");
  EXPECT_EQ(to_string(Evidence::voted), "voted");
  EXPECT_EQ(to_string(ScoreKind::log_probs), "log_probs");
  EXPECT_EQ(to_string(ScoreKind::probs), "probs");
}

}  // namespace
}  // namespace credence
