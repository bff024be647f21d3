// Scores and votes brought together: rows by id or position, classes by name.
#include <gmock/gmock.h>

#include <cfloat>
#include <cmath>
#include <cstdio>
#include <limits>

#include "unit/io/join_files.hpp"

namespace credence::io {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

TEST_F(Join, RowsAreMatchedByPositionWithoutIds) {
  npy_scores();
  files_.votes = npy<std::int64_t>("v.npy", {3, 0, 0, 0, 2, 1, 1, 0, 4}, 3);
  const LoadedDataset loaded = load();
  EXPECT_EQ(loaded.data.rows(), 3u);
  EXPECT_THAT(loaded.data.votes.voted(), ElementsAre(0, 1, 2));
  EXPECT_EQ(loaded.join.joined_by, "row");
  EXPECT_EQ(loaded.join.classes_matched, "by position");
  EXPECT_EQ(loaded.join.scores_form, "NumPy array");
  EXPECT_EQ(loaded.join.votes_form, "count matrix");
  EXPECT_EQ(loaded.join.joined_rows, 3u);
  EXPECT_THAT(loaded.join.notes, IsEmpty());
}

TEST_F(Join, NumbersOfRowsMustAgree) {
  npy_scores();
  files_.votes = npy<std::int64_t>("v.npy", {3, 0, 0, 0, 2, 1}, 3);
  EXPECT_EQ(why(),
            path("s.npy") + " has 3 rows of scores but " + path("v.npy") + " has 2 rows of votes");
}

TEST_F(Join, NumbersOfClassesMustAgree) {
  npy_scores();
  files_.votes = npy<std::int64_t>("v.npy", {3, 1, 0, 2, 4, 4}, 2);
  EXPECT_EQ(why(),
            path("s.npy") + " has scores for 3 classes but " + path("v.npy") + " has votes for 2");
}

TEST_F(Join, ScoresAloneMakeADatasetWithoutEvidence) {
  npy_scores();
  const LoadedDataset loaded = load();
  EXPECT_EQ(loaded.data.evidence(), Evidence::none);
  EXPECT_EQ(loaded.data.rows(), 3u);
}

TEST_F(Join, VotedLabelsStayVotedLabels) {
  npy_scores();
  files_.labels = npy<std::int64_t>("y.npy", {2, 1, 0}, 0);
  EXPECT_EQ(load().data.evidence(), Evidence::voted);
  files_.votes = files_.labels;
  EXPECT_THAT(why(), HasSubstr("both given"));
  files_.votes = files_.scores.path = "-";
  files_.labels.clear();
  EXPECT_THAT(why(), HasSubstr("standard input ('-') is named twice"));
}

TEST_F(Join, IdsOnBothSidesDecideAndTheScoresGiveTheOrder) {
  scores(text("s.csv", "id,a,b\nx,1,0\ny,0,1\nz,2,0\n"));
  files_.votes = text("v.csv", "id,a,b\nz,7,0\nx,5,0\ny,0,6\n");
  const LoadedDataset loaded = load();
  EXPECT_EQ(loaded.join.joined_by, "id");
  EXPECT_THAT(loaded.data.ids, ElementsAre("x", "y", "z"));
  EXPECT_EQ(loaded.data.votes.total(0), 5.0);
  EXPECT_EQ(loaded.data.votes.total(1), 6.0);
  EXPECT_EQ(loaded.data.votes.total(2), 7.0);
  EXPECT_EQ(loaded.join.classes_matched, "by name");
}

TEST_F(Join, UnmatchedIdsAreAnErrorUnlessAllowed) {
  scores(text("s.csv", "id,a,b\nw,3,0\nx,1,0\ny,0,1\n"));
  files_.votes = text("v.csv", "id,a,b\ny,0,6\nx,5,0\nq,1,1\nr,1,1\n");
  EXPECT_EQ(why(), "1 of 3 examples in " + path("s.csv") + " have no votes (first: 'w'); 2 of 4 " +
                       "examples in " + path("v.csv") + " have no scores (first: 'q', 'r')");
  EXPECT_THAT(way_out(), HasSubstr("‹allow_unmatched› goes on with the 2 examples"));
  files_.allow_unmatched = true;
  const LoadedDataset loaded = load();
  EXPECT_THAT(loaded.data.ids, ElementsAre("x", "y"));
  EXPECT_THAT(loaded.data.scores.row(1), ElementsAre(0, 1));
  EXPECT_EQ(loaded.join.unmatched_scores, 1u);
  EXPECT_EQ(loaded.join.unmatched_votes, 2u);
  EXPECT_EQ(loaded.join.score_rows, 3u);
  EXPECT_EQ(loaded.join.vote_rows, 4u);
}

TEST_F(Join, NothingInCommonIsAnErrorEvenWhenUnmatchedIsAllowed) {
  scores(text("s.csv", "id,a,b\nw,3,0\n"));
  files_.votes = text("v.csv", "id,a,b\n1,0,6\n");
  files_.allow_unmatched = true;
  EXPECT_THAT(why(), HasSubstr("ids are 'w' in the first, '1' in the second"));
}

TEST_F(Join, DuplicateIdsNameTheIdAndBothRows) {
  scores(text("s.csv", "id,a,b\nx,3,0\ny,1,1\nx,2,2\n"));
  files_.votes = text("v.csv", "id,a,b\nx,0,6\ny,1,1\n");
  files_.allow_unmatched = true;
  EXPECT_EQ(why(), path("s.csv") + ": id 'x' is there twice: rows 0 and 2");
  scores(text("s.csv", "id,a,b\nx,3,0\ny,1,1\n"));
  files_.votes = text("v.csv", "id,a,b\nx,0,6\ny,1,1\ny,1,1\n");
  EXPECT_EQ(why(), path("v.csv") + ": id 'y' is there twice: rows 1 and 2");
}

TEST_F(Join, WholeNumbersOfALongTableAreRowsOfTheScores) {
  npy_scores();
  files_.votes = text("v.csv", "task,worker,label\n2,a,2\n0,a,0\n1,a,1\n2,b,2\n");
  const LoadedDataset loaded = load();
  EXPECT_THAT(loaded.data.votes.voted(), ElementsAre(0, 1, 2));
  EXPECT_EQ(loaded.data.votes.total(2), 2.0);
  EXPECT_EQ(loaded.join.joined_by, "row");
  EXPECT_EQ(loaded.join.annotators, 2u);
  EXPECT_THAT(loaded.join.notes, Contains(HasSubstr("row numbers")));
}

TEST_F(Join, RowsNobodyAnnotatedAreUnmatched) {
  npy_scores();
  files_.votes = text("answers.json", R"({"2": {"a": 2}, "0": {"a": 0}})");
  EXPECT_THAT(why(), HasSubstr("1 of 3 examples in"));
  EXPECT_THAT(why(), HasSubstr("(first: row 1)"));
  files_.allow_unmatched = true;
  const LoadedDataset loaded = load();
  EXPECT_THAT(loaded.data.votes.voted(), ElementsAre(0, 2));
  EXPECT_THAT(loaded.data.scores.row(1), ElementsAre(0, 1, 5));
}

TEST_F(Join, RowNumbersThatDoNotExistAreAnError) {
  npy_scores();
  files_.votes = text("v.csv", "task,worker,label\n1,a,0\n2,a,1\n3,a,2\n");
  EXPECT_THAT(why(), HasSubstr("example 3 is not a row of"));
  EXPECT_THAT(way_out(), HasSubstr("from 0"));
}

TEST_F(Join, IdsOnOneSideFallBackToPositionWithANote) {
  npy_scores();
  files_.votes = text("v.csv", "id,a,b,c\nx,3,0,0\ny,0,3,0\nz,0,0,3\n");
  EXPECT_THAT(load().join.notes, Contains("the scores have no ids: votes are matched by row"));
  files_.votes = text("v.csv", "task,worker,label\nx,a,0\ny,a,1\nz,a,2\n");
  EXPECT_THAT(load().join.notes, Contains(HasSubstr("in the order they first appear")));
  scores(text("s.jsonl", "{\"uid\": \"x\", \"logits\": [1, 2]}\n"));
  files_.votes = npy<std::int64_t>("v.npy", {3, 4}, 2);
  const LoadedDataset loaded = load();
  EXPECT_THAT(loaded.join.notes, Contains(HasSubstr("the votes have no ids")));
  EXPECT_THAT(loaded.data.ids, ElementsAre("x"));
}

// The traps of the published ChaosNLI files: predictions ordered e, c, n for more items than were
// annotated, votes ordered e, n, c.
class JoinChaos : public Join {
 protected:
  void SetUp() override {
    scores(text("p.json",
                "{\"index\": 0, \"true\": 2, \"logits\": [0, 1, 5], \"uid\": \"n1\"}\n"
                "{\"index\": 1, \"true\": 1, \"logits\": [0, 5, 1], \"uid\": \"c1\"}\n"
                "{\"index\": 2, \"true\": 0, \"logits\": [5, 1, 0], \"uid\": \"e1\"}\n"
                "{\"index\": 3, \"true\": 0, \"logits\": [5, 1, 0], \"uid\": \"e2\"}\n"));
    files_.votes = text("v.jsonl",
                        "{\"uid\": \"e1\", \"label_counter\": {\"e\": 90, \"n\": 10}, "
                        "\"label_count\": [90, 10, 0], "
                        "\"example\": {\"uid\": \"e1\"}}\n"
                        "{\"uid\": \"n1\", \"label_counter\": {\"n\": 80, \"c\": 20}, "
                        "\"label_count\": [0, 80, 20], "
                        "\"example\": {\"uid\": \"n1\"}}\n"
                        "{\"uid\": \"c1\", \"label_counter\": {\"c\": 60, \"n\": 40}, "
                        "\"label_count\": [0, 40, 60], "
                        "\"example\": {\"uid\": \"c1\"}}\n"
                        "{\"uid\": \"c2\", \"label_counter\": {\"c\": 60, \"n\": 40}, "
                        "\"label_count\": [0, 40, 60], "
                        "\"example\": {\"uid\": \"c2\"}}\n");
    files_.allow_unmatched = true;
  }
  static std::size_t hits(const Dataset& data) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < data.rows(); ++i) {
      const auto row = data.scores.row(i);
      const auto top = static_cast<std::uint32_t>(std::ranges::max_element(row) - row.begin());
      count += top == data.votes.voted(i) ? 1 : 0;
    }
    return count;
  }
};

TEST_F(JoinChaos, AssumedOrderIsSaid) {
  const LoadedDataset loaded = load();
  EXPECT_EQ(loaded.join.joined_by, "id");
  EXPECT_EQ(loaded.join.joined_rows, 3u);
  EXPECT_EQ(loaded.join.classes_matched, "assumed");
  EXPECT_THAT(loaded.join.notes,
              Contains("class order of the scores is assumed to be that of the votes: e, n, c "
                       "(give ‹score_classes› to be sure)"));
  EXPECT_EQ(hits(loaded.data), 1u);
}

TEST_F(JoinChaos, NamesOfTheScoresPutTheVotesInTheirOrder) {
  files_.score_classes = {"E", "C", "N"};
  const LoadedDataset loaded = load();
  EXPECT_EQ(loaded.join.classes_matched, "by name");
  EXPECT_THAT(loaded.data.classes, ElementsAre("E", "C", "N"));
  EXPECT_THAT(loaded.data.ids, ElementsAre("n1", "c1", "e1"));
  EXPECT_EQ(loaded.data.votes.share(0, 2), 0.8);
  EXPECT_EQ(loaded.data.votes.share(0, 1), 0.2);
  EXPECT_EQ(hits(loaded.data), 3u);
  EXPECT_THAT(loaded.join.notes, Not(Contains(HasSubstr("assumed"))));
  const std::string print = loaded.data.fingerprint();
  files_.votes_field = "label_count";
  EXPECT_EQ(load().data.fingerprint(), print);
}

TEST_F(JoinChaos, LongNamesAreNotMatchedToShortOnesInSilence) {
  files_.score_classes = {"entailment", "contradiction", "neutral"};
  EXPECT_THAT(why(), HasSubstr("the classes have different names: entailment, contradiction, "
                               "neutral in"));
  EXPECT_THAT(why(), HasSubstr("e, n, c in"));
  EXPECT_THAT(way_out(), HasSubstr("‹vote_classes›"));
}

TEST_F(Join, NamesFromBothHeadersAreMatchedIgnoringCase) {
  scores(text("s.csv", "id,Cat,Dog,Emu\nx,1,0,0\n"));
  files_.votes = text("v.csv", "id,emu,cat,dog\nx,1,5,2\n");
  const LoadedDataset loaded = load();
  EXPECT_THAT(loaded.data.votes.row(0).weights, ElementsAre(5, 2, 1));
  EXPECT_THAT(loaded.data.classes, ElementsAre("Cat", "Dog", "Emu"));
}

TEST_F(Join, OneNamedSideIsAssumedToNameTheOther) {
  npy_scores();
  files_.votes = text("v.csv", "a,b,c\n1,0,0\n0,1,0\n0,0,1\n");
  EXPECT_EQ(load().join.classes_matched, "assumed");
  files_.score_classes = {"x", "y", "z"};
  files_.votes = npy<std::int64_t>("v.npy", {3, 0, 0, 0, 2, 1, 1, 0, 4}, 3);
  const LoadedDataset loaded = load();
  EXPECT_EQ(loaded.join.classes_matched, "assumed");
  EXPECT_THAT(loaded.join.notes, Contains(HasSubstr("order of the votes is assumed")));
  EXPECT_THAT(loaded.data.classes, ElementsAre("x", "y", "z"));
}

TEST_F(Join, NamesGivenForBothSidesAreTakenAsGiven) {
  npy_scores();
  files_.votes = npy<std::int64_t>("v.npy", {3, 0, 0, 0, 2, 1, 1, 0, 4}, 3);
  files_.classes = {"a", "b", "c"};
  const LoadedDataset loaded = load();
  EXPECT_EQ(loaded.join.classes_matched, "given");
  EXPECT_THAT(loaded.join.notes, IsEmpty());
  EXPECT_THAT(loaded.data.classes, ElementsAre("a", "b", "c"));
  files_.classes = {"a", "b"};
  EXPECT_THAT(why(), HasSubstr("2 class names"));
  files_.classes = {"a", "b", "A"};
  EXPECT_THAT(why(), HasSubstr("'A' is there twice"));
}

TEST_F(Join, NumberedColumnsAreNoNames) {
  npy_scores();
  files_.score_classes = {"x", "y", "z"};
  files_.votes = text("v.csv", "class_0,class_1,class_2\n1,0,0\n0,1,0\n0,0,1\n");
  const LoadedDataset loaded = load();
  EXPECT_EQ(loaded.join.classes_matched, "assumed");
  EXPECT_THAT(loaded.data.classes, ElementsAre("x", "y", "z"));
}

TEST_F(Join, ClassesNobodyNamedInTheVotesAreAskedFor) {
  npy_scores();
  files_.votes = text("v.csv", "task,worker,label\n0,a,cat\n1,a,dog\n2,a,cat\n");
  EXPECT_THAT(why(), HasSubstr("has votes for 2 (cat, dog)"));
  EXPECT_THAT(way_out(), HasSubstr("‹vote_classes›"));
}

TEST_F(Join, SkippedRowsMayBeBadOnEitherSide) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  scores(npy<float>("s.npy", {1, 0, nan, 0, 0, 1, 2, 0}, 2));
  files_.votes = npy<std::int64_t>("v.npy", {1, 2, 1, 1, 0, 0, 3, 0}, 2);
  EXPECT_THAT(why(), HasSubstr("s.npy: row 1, column 0: logit is nan"));
  files_.skip_rows = text("skip.txt", "1\n");
  EXPECT_THAT(why(), HasSubstr("v.npy: row 2: no votes"));
  files_.skip_rows = text("skip.txt", "1\n2\n");
  const LoadedDataset loaded = load();
  EXPECT_EQ(loaded.data.rows(), 2u);
  EXPECT_THAT(loaded.data.scores.row(1), ElementsAre(2, 0));
  EXPECT_THAT(loaded.data.votes.voted(), ElementsAre(1, 0));
}

TEST_F(Join, RowsWithoutVotesAreLeftOutWhenUnmatchedIsAllowed) {
  npy_scores();
  files_.votes = npy<std::int64_t>("v.npy", {3, 0, 0, 0, 0, 0, 1, 0, 4}, 3);
  EXPECT_THAT(why(), HasSubstr("row 1: no votes"));
  files_.allow_unmatched = true;
  const LoadedDataset loaded = load();
  EXPECT_EQ(loaded.data.rows(), 2u);
  EXPECT_EQ(loaded.join.unmatched_scores, 1u);
  EXPECT_THAT(loaded.join.notes, Contains(HasSubstr("1 row of")));
  files_.votes = npy<std::int64_t>("v.npy", {3, 0, 0, 0, -1, 0, 1, 0, 4}, 3);
  EXPECT_THAT(why(), HasSubstr("vote count is -1"));
}

TEST_F(Join, ListedRowsAreThoseOfTheScoreFileInItsOrder) {
  npy_scores();
  files_.votes = npy<std::int64_t>("v.npy", {3, 0, 0, 0, 2, 1, 1, 0, 4}, 3);
  files_.rows = npy<std::int64_t>("rows.npy", {2, 0}, 0);
  EXPECT_THAT(load().data.votes.voted(), ElementsAre(0, 2));
  files_.skip_rows = text("skip.txt", "0\n");
  EXPECT_THAT(load().data.votes.voted(), ElementsAre(2));
  files_.skip_rows = text("skip.txt", "0 2\n");
  EXPECT_THAT(why(), HasSubstr("no rows of"));
}

TEST_F(Join, RowListsAreChecked) {
  npy_scores();
  files_.rows = text("rows.txt", "0\n3\n");
  EXPECT_EQ(why(), path("rows.txt") + ": row 3 is out of range; " + path("s.npy") +
                       " has 3 rows, counted from 0");
  files_.rows = text("rows.txt", "0\n18446744073709551615\n");
  EXPECT_THAT(why(), HasSubstr("is out of range"));
  files_.rows = text("rows.txt", "0\n2\n0\n");
  EXPECT_THAT(why(), HasSubstr("row 0 is listed twice"));
  files_.rows = text("rows.txt", "0\n-2\n");
  EXPECT_THAT(why(), HasSubstr("rows.txt:2: '-2' is not a row number"));
  files_.rows = npy<std::int64_t>("rows.npy", {-1}, 0);
  EXPECT_THAT(why(), HasSubstr("entry 0 is -1"));
}

TEST_F(Join, UnmatchedRowsThatAreSkippedAreNoError) {
  npy_scores();
  files_.votes = text("answers.json", R"({"2": {"a": 2}, "0": {"a": 0}})");
  files_.skip_rows = text("skip.txt", "1\n");
  EXPECT_EQ(load().data.rows(), 2u);
}

// The line of /proc/self/maps for an address names the file that is mapped there.
std::string mapped_file(const void* address) {
  const auto wanted = reinterpret_cast<std::uintptr_t>(address);
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    std::uintptr_t first = 0, last = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx", &first, &last) == 2 && first <= wanted &&
        wanted < last) {
      return line;
    }
  }
  return {};
}

TEST_F(Join, WholeFloat32LogitsStayMappedWhileInputsAreWatched) {
  watch_inputs();
  npy_scores();
  files_.votes = npy<std::int64_t>("v.npy", {3, 0, 0, 0, 2, 1, 1, 0, 4}, 3);
  const LoadedDataset whole = load();
  EXPECT_THAT(mapped_file(whole.data.scores.data()), HasSubstr("s.npy"));
  files_.skip_rows = text("skip.txt", "0\n");
  const LoadedDataset some = load();
  EXPECT_THAT(mapped_file(some.data.scores.data()), Not(HasSubstr("s.npy")));
  watch_inputs(false);
}

TEST_F(Join, ProbabilitiesBecomeLogarithmsAndZerosAreCounted) {
  scores(npy<double>("p.npy", {0.25, 0.75, 0.0, 1.0, 0.0, 1.0}, 2), ScoreKind::probs);
  const LoadedDataset all = load(true);
  EXPECT_EQ(all.data.scores(0, 0), static_cast<float>(std::log(0.25)));
  EXPECT_EQ(all.data.scores(1, 0), static_cast<float>(std::log(static_cast<double>(FLT_MIN))));
  EXPECT_EQ(all.data.clipped, 2u);
  EXPECT_THAT(all.probabilities.row(0), ElementsAre(0.25, 0.75));
  files_.skip_rows = text("skip.txt", "1\n");
  const LoadedDataset some = load(true);
  EXPECT_EQ(some.data.clipped, 1u);
  EXPECT_EQ(some.probabilities.rows(), 2u);
  EXPECT_THAT(some.probabilities.row(1), ElementsAre(0.0, 1.0));
  EXPECT_EQ(load().probabilities.rows(), 0u);
}

TEST_F(Join, KeptProbabilitiesAreAsStored) {
  scores(text("p.csv", "id,a,b\nx,0.1,0.9\ny,0.30000000000000004,0.7\n"), ScoreKind::probs);
  files_.votes = text("v.csv", "id,b,a\ny,1,0\n");
  files_.allow_unmatched = true;
  const LoadedDataset loaded = load(true);
  EXPECT_EQ(loaded.probabilities.rows(), 1u);
  EXPECT_EQ(loaded.probabilities(0, 0), 0.30000000000000004);
  EXPECT_THAT(loaded.data.votes.voted(), ElementsAre(1));
}

TEST_F(Join, OnlyProbabilitiesCanBeKept) {
  npy_scores();
  EXPECT_THROW(load(true), Error);
}

TEST_F(Join, MinusInfinityIsRaisedAndCountedForTheRowsUsed) {
  const float inf = std::numeric_limits<float>::infinity();
  scores(npy<float>("s.npy", {1, -inf, 0, 1, -inf, 2}, 2));
  EXPECT_EQ(load().data.clipped, 2u);
  EXPECT_LT(load().data.scores(0, 1), -80.0f);
  files_.skip_rows = text("skip.txt", "0\n");
  EXPECT_EQ(load().data.clipped, 1u);
}

TEST_F(Join, LogitsThatLookLikeProbabilitiesAreRemarkedOnAndLeftAlone) {
  scores(npy<float>("s.npy", {0.25f, 0.75f, 1.0f, 0.0f}, 2));
  const LoadedDataset loaded = load();
  EXPECT_THAT(loaded.join.notes,
              ElementsAre("these logits look like probabilities; if they are, use ‹probs›"));
  EXPECT_EQ(loaded.data.scores(0, 0), 0.25f);
  scores(npy<float>("s.npy", {0.25f, 0.75f, 1.0f, 0.5f}, 2));
  EXPECT_THAT(load().join.notes, IsEmpty());
  scores(npy<float>("s.npy", {-0.5f, 0.75f}, 2), ScoreKind::log_probs);
  EXPECT_THAT(load().join.notes, Contains(HasSubstr("above 0")));
}

TEST_F(Join, LogitsGivenAsProbabilitiesAreRefused) {
  scores(npy<float>("s.npy", {-3, 5, 1, 0}, 2), ScoreKind::probs);
  EXPECT_THAT(why(), HasSubstr("row 0, column 0: probability is -3"));
  EXPECT_THAT(way_out(), HasSubstr("‹logits›"));
}

}  // namespace
}  // namespace credence::io
