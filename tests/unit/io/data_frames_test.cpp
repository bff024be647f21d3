// What data frames do to files: an index without a name, ids written in two ways; and answers that
// are no votes.
#include <gmock/gmock.h>

#include "unit/io/join_files.hpp"

namespace credence::io {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class DataFrames : public Join {};

const char* const kIndexNote = "taken for the index of a data frame and left out";

TEST_F(DataFrames, IndexOfScoresIsLeftOutWhereTheVotesHaveOtherIds) {
  scores(text("s.csv", ",a,b\n0,1,0\n1,0,1\n2,2,0\n"));
  files_.votes = text("v.csv", "id,a,b\nx,5,0\ny,0,6\nz,7,0\n");
  const LoadedDataset loaded = load();
  EXPECT_EQ(loaded.join.joined_by, "row");
  EXPECT_EQ(loaded.data.votes.total(2), 7.0);
  EXPECT_THAT(loaded.join.notes, Contains(AllOf(HasSubstr("s.csv"), HasSubstr(kIndexNote))));
  EXPECT_THAT(loaded.data.ids, IsEmpty());
}

TEST_F(DataFrames, IndexOfWideVotesIsLeftOut) {
  scores(text("s.csv", "id,a,b\nx,1,0\ny,0,1\n"));
  for (const char* name : {"", "Unnamed: 0"}) {
    files_.votes = text("v.csv", std::string(name) + ",annotator_1,annotator_2\n0,a,b\n1,b,b\n");
    const LoadedDataset loaded = load();
    EXPECT_EQ(loaded.join.votes_form, "wide table (2 annotator columns)");
    EXPECT_EQ(loaded.join.joined_by, "row");
    EXPECT_THAT(loaded.join.notes, Contains(AllOf(HasSubstr("v.csv"), HasSubstr(kIndexNote))));
    EXPECT_THAT(loaded.data.ids, ElementsAre("x", "y"));
  }
}

TEST_F(DataFrames, IndexInAnotherOrderStillJoins) {
  // A shuffled frame beside one in order: matching by row would pair strangers.
  scores(text("s.csv", ",a,b\n2,2,0\n0,1,0\n1,0,1\n"));
  files_.votes = text("v.csv", ",a,b\n0,5,0\n1,0,6\n2,7,0\n");
  const LoadedDataset loaded = load();
  EXPECT_EQ(loaded.join.joined_by, "id");
  EXPECT_EQ(loaded.data.votes.total(0), 7.0);
  EXPECT_THAT(loaded.join.notes, Not(Contains(HasSubstr(kIndexNote))));
}

TEST_F(DataFrames, IndexBesideIdsIsNoClass) {
  scores(text("s.csv", ",id,a,b\n0,x,1,0\n1,y,0,1\n"));
  files_.votes = text("v.csv", "Unnamed: 0,id,a,b\n0,y,0,6\n1,x,5,0\n");
  const LoadedDataset loaded = load();
  EXPECT_EQ(loaded.join.joined_by, "id");
  EXPECT_EQ(loaded.data.classes_count(), 2u);
  EXPECT_EQ(loaded.data.votes.total(0), 5.0);
  EXPECT_THAT(loaded.join.notes, Contains(AllOf(HasSubstr("s.csv"), HasSubstr(kIndexNote))));
  EXPECT_THAT(loaded.join.notes, Contains(AllOf(HasSubstr("v.csv"), HasSubstr(kIndexNote))));
  scores(text("s.csv", ",id,a,b\n0.5,x,1,0\n1.5,y,0,1\n"));
  EXPECT_THAT(why(), HasSubstr("s.csv:2: column 1 has no name and '0.5' is not a row number"));
}

TEST_F(DataFrames, ColumnOfLabelsMayHaveAnIndex) {
  scores(text("s.csv", "a,b\n1,0\n0,1\n"));
  files_.labels = text("y.csv", ",label\n0,a\n1,b\n");
  EXPECT_THAT(load().data.votes.voted(), ElementsAre(0, 1));
  EXPECT_THAT(load().join.notes, Contains(HasSubstr(kIndexNote)));
}

TEST_F(DataFrames, IdsThatDifferNameBothFilesAndTheRepair) {
  struct Difference {
    const char *scores, *votes, *repair;
  };
  for (const Difference& example :
       {Difference{"id,a,b\n007,1,0\n008,0,1\n", "id,a,b\n7,1,0\n8,0,1\n",
                   "apart from leading zeros"},
        Difference{"id,a,b\n1000,1,0\n1001,0,1\n", "id,a,b\n1000.0,1,0\n1001.0,0,1\n",
                   "apart from a '.0' at the end"},
        Difference{"id,a,b\nImgA,1,0\nImgB,0,1\n", "id,a,b\nimga,1,0\nimgb,0,1\n",
                   "apart from case"},
        Difference{"id,a,b\nd/x.png,1,0\nd/y.png,0,1\n", "id,a,b\nx,1,0\ny,0,1\n",
                   "apart from folders and the ending of the file name"},
        Difference{"id,a,b\nIMG_01.JPG,1,0\nIMG_02.JPG,0,1\n", "id,a,b\nimg_1,1,0\nimg_2,0,1\n",
                   "together"}}) {
    scores(text("s.csv", example.scores));
    files_.votes = text("v.csv", example.votes);
    EXPECT_THAT(why(), AllOf(HasSubstr("s.csv"), HasSubstr("v.csv")));
    EXPECT_THAT(way_out(), AllOf(HasSubstr(example.repair), HasSubstr("all of them"))) << why();
  }
  scores(text("s.jsonl", "{\"id\": \" x\", \"logits\": [1, 0]}\n"));
  files_.votes = text("v.csv", "id,a,b\nx,1,0\n");
  EXPECT_THAT(way_out(), HasSubstr("apart from spaces around them"));
}

TEST_F(DataFrames, FirstFewIdsOfBothSidesAreShown) {
  scores(text("s.csv", "id,a,b\np,1,0\nq,0,1\nr,1,1\ns,1,2\n"));
  files_.votes = text("v.csv", "id,a,b\nt,1,0\nu,0,1\n");
  EXPECT_THAT(why(), HasSubstr("ids are 'p', 'q', 'r', ... in the first, 't', 'u' in the second"));
  EXPECT_THAT(way_out(), HasSubstr("‹id_field›"));
}

TEST_F(DataFrames, SomeIdsThatDifferGetTheRepairToo) {
  scores(text("s.csv", "id,a,b\n7,1,0\n08,0,1\n09,1,1\n"));
  files_.votes = text("v.csv", "id,a,b\n7,1,0\n8,0,1\n9,2,2\n");
  EXPECT_THAT(why(), HasSubstr("(first: '08', '09')"));
  EXPECT_THAT(way_out(), AllOf(HasSubstr("leading zeros, all of them"),
                               HasSubstr("‹allow_unmatched› goes on with the 1")));
}

TEST_F(DataFrames, RepairThatMergesIdsIsNotProposed) {
  scores(text("s.csv", "id,a,b\nx,1,0\ny,0,1\n"));
  files_.votes = text("v.csv", "id,a,b\nX,1,0\nx ,1,0\n01,0,1\n1,1,1\n");
  EXPECT_THAT(way_out(), Not(HasSubstr("leading zeros")));
}

class Dropped : public Join {
 protected:
  void SetUp() override { files_.drop_labels = {"unsure", "Skip"}; }
};

TEST_F(Dropped, AnswersAreLeftOutAndCountedInEveryFormWithLabels) {
  scores(text("s.csv", "id,yes,no\nx,1,0\ny,0,1\n"));
  const std::string files[] = {
      text("long.csv", "item,rater,label\nx,a,yes\nx,b,Unsure\ny,a,no\ny,b,unsure\nx,c,skip\n"),
      text("wide.csv", "id,annotator_1,annotator_2,annotator_3\nx,yes,unsure,skip\ny,no,unsure,\n"),
      text("counts.csv", "id,yes,no,unsure,skip\nx,1,0,1,1\ny,0,1,1,0\n"),
      text("lists.jsonl",
           "{\"id\": \"x\", \"labels\": [\"yes\", \"unsure\", \"skip\"]}\n"
           "{\"id\": \"y\", \"labels\": [\"no\", \"unsure\"]}\n"),
      text("counter.jsonl",
           "{\"id\": \"x\", \"votes\": {\"yes\": 1, \"unsure\": 1, \"skip\": 1}}\n"
           "{\"id\": \"y\", \"votes\": {\"no\": 1, \"unsure\": 1}}\n"),
      text("answers.json",
           "{\"x\": {\"a\": \"yes\", \"b\": \"unsure\", \"c\": \"skip\"},\n"
           " \"y\": {\"a\": \"no\", \"b\": \"unsure\"}}"),
  };
  for (const std::string& file : files) {
    files_.votes = file;
    const LoadedDataset loaded = load();
    EXPECT_THAT(loaded.data.votes.voted(), ElementsAre(0, 1)) << file;
    EXPECT_EQ(loaded.data.votes.total(0), 1.0) << file;
    EXPECT_EQ(loaded.data.votes.total(1), 1.0) << file;
    EXPECT_THAT(loaded.join.notes,
                Contains("3 answers dropped by ‹drop_labels›: 2 'unsure', 1 'Skip'"))
        << file;
  }
}

TEST_F(Dropped, ExampleWithoutOtherAnswersSaysWhy) {
  scores(text("s.csv", "id,yes,no\nx,1,0\ny,0,1\n"));
  files_.votes = text("v.csv", "item,rater,label\nx,a,yes\ny,b,Unsure\n");
  EXPECT_THAT(why(), HasSubstr("row 1 (id 'y'): all its answers are dropped by ‹drop_labels›"));
  files_.allow_unmatched = true;
  EXPECT_EQ(load().data.rows(), 1u);
  files_.votes = text("v.csv", "item,rater,label\nx,a,skip\ny,b,Unsure\n");
  EXPECT_THAT(why(), HasSubstr("no votes at all"));
}

TEST_F(Dropped, NumbersAreLabelsToo) {
  npy_scores();
  files_.drop_labels = {"-9"};
  files_.labels = npy<std::int64_t>("y.npy", {2, -9, 0}, 0);
  EXPECT_THAT(why(), HasSubstr("row 1: all its answers are dropped"));
  files_.allow_unmatched = true;
  const LoadedDataset loaded = load();
  EXPECT_THAT(loaded.data.votes.voted(), ElementsAre(2, 0));
  EXPECT_THAT(loaded.join.notes, Contains(HasSubstr("1 answer dropped")));
}

TEST_F(Dropped, CountsWithoutNamesHaveNoLabels) {
  npy_scores();
  files_.votes = npy<std::int64_t>("v.npy", {3, 0, 0, 0, 2, 1, 1, 0, 4}, 3);
  EXPECT_THAT(why(), HasSubstr("‹drop_labels› finds no labels in an array of counts"));
  files_.votes = text("v.csv", "3,0,0\n0,2,1\n1,0,4\n");
  EXPECT_THAT(why(), HasSubstr("‹drop_labels› finds no labels"));
}

}  // namespace
}  // namespace credence::io
