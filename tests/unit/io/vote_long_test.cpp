// Votes as records: long tables, JSON lines, answers.json.
#include <gmock/gmock.h>

#include "credence/io.hpp"
#include "unit/io/vote_files.hpp"

namespace credence::io {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class VoteRecords : public VoteFiles {
 protected:
  VoteFile file_;
  VoteTable load(const std::string& file_path) {
    file_.path = file_path;
    return load_votes(file_);
  }
  std::string why(const std::string& file_path) {
    return error_of([&] { load(file_path); }).what();
  }
};

TEST_F(VoteRecords, CrowdKitTableIsUnderstood) {
  const VoteTable table =
      load(text("v.csv", "task,worker,label\nt1,w1,cat\nt2,w1,dog\nt1,w2,dog\nt1,w3,dog\n"));
  EXPECT_EQ(table.form, "long table (task, worker, label)");
  EXPECT_EQ(table.annotators, 3u);
  EXPECT_THAT(table.ids, ElementsAre("t1", "t2"));
  EXPECT_THAT(table.classes, ElementsAre("cat", "dog"));
  EXPECT_THAT(table.votes.row(0).weights, ElementsAre(1, 2));
  EXPECT_TRUE(table.gathered);
}

TEST_F(VoteRecords, UsualColumnNamesAreUnderstoodInAnyOrderAndSpelling) {
  for (const char* header :
       {"label,annotator_id,example_id", "Label,Annotator ID,Item", "answer,rater,image_id",
        "response,reader,case", "annotation,expert,uid", "vote,ScorerID,sample",
        "label,performer,task", "class,labeller,question"}) {
    file_.expected_classes = 3;
    const VoteTable table = load(text("v.csv", std::string(header) + "\n2,a,0\n1,a,1\n1,b,0\n"));
    EXPECT_THAT(table.ids, ElementsAre("0", "1")) << header;
    EXPECT_EQ(table.annotators, 2u) << header;
    EXPECT_THAT(table.classes, IsEmpty()) << header;
    EXPECT_THAT(table.votes.row(0).classes, ElementsAre(1, 2)) << header;
  }
}

TEST_F(VoteRecords, Cifar10hAttentionChecksAreDroppedAndCounted) {
  file_.expected_classes = 2;
  const VoteTable table =
      load(text("cifar10h-raw.csv",
                ",annotator_id,trial_index,is_attn_check,true_category,chosen_category,true_label,"
                "chosen_label,correct_guess,image_filename,subcategory,reaction_time,time_elapsed,"
                "cifar10_test_test_idx\n"
                "0,0,1,0,bird,bird,1,1,1,a.png,x,900,900,1\n"
                "1,0,2,1,plane,plane,0,0,1,c.png,x,900,900,-99999\n"
                "2,0,3,0,plane,bird,0,1,0,b.png,x,900,900,0\n"
                "3,1,1,1,plane,plane,0,0,1,c.png,x,900,900,-99999\n"
                "4,1,2,0,plane,plane,0,0,1,b.png,x,900,900,0\n"));
  EXPECT_THAT(table.ids, ElementsAre("1", "0"));
  EXPECT_THAT(table.notes, ElementsAre("2 attention checks (index -99999) dropped"));
  EXPECT_THAT(table.classes, ElementsAre("plane", "bird"));
  EXPECT_EQ(table.annotators, 2u);
  EXPECT_EQ(table.form, "long table (cifar10_test_test_idx, annotator_id, chosen_label)");
  EXPECT_EQ(table.votes.total(1), 2.0);
}

TEST_F(VoteRecords, NamesAreLookedUpIgnoringCase) {
  file_.classes = {"Dog", "Cat"};
  const VoteTable table = load(text("v.csv", "task,worker,label\n1,a,cat\n2,a,DOG\n"));
  EXPECT_THAT(table.votes.voted(), ElementsAre(1, 0));
  EXPECT_THAT(table.classes, ElementsAre("Dog", "Cat"));
  EXPECT_THAT(table.notes, IsEmpty());
}

TEST_F(VoteRecords, ClassesOfTheScoresServeWhenTheVotesHaveNone) {
  file_.score_classes = {"dog", "cat", "emu"};
  file_.expected_classes = 3;
  const VoteTable table = load(text("v.csv", "task,worker,label\n1,a,cat\n2,a,dog\n"));
  EXPECT_EQ(table.votes.classes(), 3u);
  EXPECT_THAT(table.votes.voted(), ElementsAre(1, 0));
}

TEST_F(VoteRecords, UnknownNamesAreNamedWithTheirLine) {
  file_.classes = {"dog", "cat"};
  const std::string long_table = "task,worker,label\n1,a,cat\n2,a,kat\n";
  EXPECT_THAT(why(text("v.csv", long_table)),
              HasSubstr("v.csv:3: label 'kat' is not one of the 2 classes dog, cat"));
  file_.score_classes = std::move(file_.classes);
  file_.classes = {};
  EXPECT_THAT(why(text("v.csv", long_table)), HasSubstr("v.csv:3: label 'kat' is not one of"));
}

TEST_F(VoteRecords, DigitsAreNamesWhenTheyAllAre) {
  file_.classes = {"1", "2", "3"};
  EXPECT_THAT(load(text("v.csv", "task,worker,label\na,x,1\nb,x,3\n")).votes.voted(),
              ElementsAre(0, 2));
  EXPECT_THAT(load(text("v.csv", "task,worker,label\na,x,0\nb,x,2\n")).votes.voted(),
              ElementsAre(0, 2));
}

TEST_F(VoteRecords, IndexOutOfRangeNamesLineAndWayOut) {
  file_.expected_classes = 3;
  const Error error =
      error_of([&] { load(text("v.csv", "task,worker,label\n1,a,1\n2,a,3\n3,a,2\n")); });
  EXPECT_THAT(error.what(), HasSubstr("v.csv:3: label '3' is out of range; labels are class "
                                      "indices from 0 to 2"));
  EXPECT_THAT(error.hint(), HasSubstr("‹vote_classes›"));
  EXPECT_THAT(why(text("v.csv", "task,worker,label\n1,a,1.5\n")), HasSubstr("not a whole number"));
}

TEST_F(VoteRecords, AnnotatorWhoAnswersTwiceIsAnError) {
  const Error error = error_of(
      [&] { load(text("v.csv", "task,worker,label\nt1,ann,0\nt2,ann,1\nt1,bob,1\nt1,ann,1\n")); });
  EXPECT_THAT(error.what(), HasSubstr("v.csv:5: annotator 'ann' answers a second time for example "
                                      "'t1' (first on line 2)"));
  EXPECT_THAT(error.hint(), HasSubstr("keep one"));
}

TEST_F(VoteRecords, BlankCellsOfALongTableAreErrors) {
  EXPECT_THAT(why(text("v.csv", "task,worker,label\n1,a,\n")), HasSubstr("v.csv:2: blank label"));
  EXPECT_THAT(why(text("v.csv", "task,worker,label\n,a,1\n")), HasSubstr("v.csv:2: blank example"));
  EXPECT_THAT(why(text("v.csv", "task,worker,label\n1,,1\n")), HasSubstr("blank annotator"));
}

TEST_F(VoteRecords, TwoColumnsNeedNoAnnotator) {
  const VoteTable table = load(text("v.csv", "id,label\nx,a\ny,b\nx,b\n"));
  EXPECT_EQ(table.votes.total(0), 2.0);
  EXPECT_EQ(table.annotators, 0u);
  EXPECT_THAT(table.notes, testing::Contains(HasSubstr("no annotator column")));
}

TEST_F(VoteRecords, CountColumnGivesWeights) {
  const VoteTable table = load(text("v.csv", "id,label,count\nx,a,3\nx,b,1\ny,b,2\n"));
  EXPECT_THAT(table.votes.row(0).weights, ElementsAre(3, 1));
  EXPECT_THAT(why(text("v.csv", "id,label,count\nx,a,-3\n")), HasSubstr("v.csv:2: vote count is"));
}

TEST_F(VoteRecords, MissingColumnsAreAskedFor) {
  EXPECT_THAT(error_of([&] { load(text("v.csv", "foo,worker,label\n1,a,1\n")); }).hint(),
              HasSubstr("‹id_field›"));
  EXPECT_THAT(error_of([&] { load(text("v.csv", "task,worker,foo\n1,a,1\n")); }).hint(),
              HasSubstr("‹votes_field›"));
  file_.id_field = "foo";
  EXPECT_THAT(load(text("v.csv", "foo,worker,label\n1,a,1\n")).ids, ElementsAre("1"));
  file_.votes_field = "bar";
  EXPECT_THAT(load(text("v.csv", "foo,worker,bar\n1,a,x\n")).classes, ElementsAre("x"));
}

TEST_F(VoteRecords, GoldLabelBesideCountsDoesNotMakeALongTable) {
  file_.expected_classes = 3;
  EXPECT_EQ(load(text("v.csv", "id,a,b,c,label\nx,1,2,0,1\n")).form, "count matrix");
}

TEST_F(VoteRecords, VotedLabelsByIdAreReadAndMustBeUnique) {
  file_.labels_only = true;
  const VoteTable table = load(text("y.csv", "id,label\nx,1\ny,0\n"));
  EXPECT_EQ(table.votes.evidence(), Evidence::voted);
  EXPECT_THAT(table.ids, ElementsAre("x", "y"));
  EXPECT_THAT(why(text("y.csv", "id,label\nx,1\ny,0\nx,1\n")),
              HasSubstr("y.csv:4: example 'x' has a second label (the first is on line 2)"));
}

constexpr char kChaos[] =
    R"({"uid": "u1", "label_counter": {"c": 20, "e": 12, "n": 68}, "majority_label": "n", )"
    R"("label_dist": [0.12, 0.68, 0.2], "label_count": [12, 68, 20], "example": {"uid": "u1"}, )"
    R"("old_labels": ["neutral", "entailment"]})"
    "\n"
    R"({"uid": "u2", "label_counter": {"n": 70, "e": 30}, "majority_label": "n", )"
    R"("label_dist": [0.3, 0.7, 0.0], "label_count": [30, 70, 0], "example": {"uid": "u2"}, )"
    R"("old_labels": ["contradiction", "entailment", "entailment"]})"
    "\n";

TEST_F(VoteRecords, ChaosNliCountersComeInPublishedOrder) {
  const VoteTable table = load(text("v.jsonl", kChaos));
  EXPECT_THAT(table.ids, ElementsAre("u1", "u2"));
  EXPECT_THAT(table.classes, ElementsAre("e", "n", "c"));
  EXPECT_THAT(table.votes.row(0).weights, ElementsAre(12, 68, 20));
  EXPECT_THAT(table.votes.row(1).weights, ElementsAre(30, 70));
  EXPECT_THAT(table.form, HasSubstr("'label_counter': counts by class name"));
}

TEST_F(VoteRecords, ChaosNliCountsAgreeWithItsCounters) {
  file_.votes_field = "label_count";
  const VoteTable table = load(text("v.jsonl", kChaos));
  EXPECT_THAT(table.classes, ElementsAre("e", "n", "c"));
  EXPECT_THAT(table.votes.row(0).weights, ElementsAre(12, 68, 20));
  EXPECT_THAT(table.notes, ElementsAre(HasSubstr("e, n, c")));
  file_.votes_field = "label_dist";
  EXPECT_TRUE(load(text("v.jsonl", kChaos)).votes.are_shares());
  file_.votes_field = "old_labels";
  const VoteTable old = load(text("v.jsonl", kChaos));
  EXPECT_THAT(old.classes, ElementsAre("contradiction", "entailment", "neutral"));
  EXPECT_THAT(old.votes.row(1).weights, ElementsAre(1, 2));
}

TEST_F(VoteRecords, CountersFollowGivenClasses) {
  file_.classes = {"c", "n", "e"};
  EXPECT_THAT(load(text("v.jsonl", kChaos)).votes.row(0).weights, ElementsAre(20, 68, 12));
  file_.classes = {"c", "n"};
  EXPECT_THAT(why(text("v.jsonl", kChaos)), HasSubstr("v.jsonl:1: label 'e' is not one of"));
  file_.classes = {};
  file_.score_classes = {"e", "c", "n"};
  EXPECT_THAT(load(text("v.jsonl", kChaos)).classes, ElementsAre("e", "c", "n"));
}

TEST_F(VoteRecords, ClassNobodyChoseIsKnownFromItsZero) {
  const VoteTable table = load(text("v.jsonl", R"({"votes": {"a": 2, "b": 0, "c": 1}})"));
  EXPECT_THAT(table.classes, ElementsAre("a", "b", "c"));
  EXPECT_THAT(table.votes.row(0).classes, ElementsAre(0, 2));
}

TEST_F(VoteRecords, GeneralJsonLinesTakeCountsAndLabels) {
  EXPECT_THAT(load(text("v.jsonl",
                        "{\"id\": 7, \"counts\": [0, 3]}\n\n{\"id\": 8, \"counts\": "
                        "[1, 1.5]}\n"))
                  .votes.row(1)
                  .weights,
              ElementsAre(1, 1.5));
  const VoteTable lists =
      load(text("v.jsonl", "{\"labels\": [\"b\", \"a\", null]}\n{\"labels\": [\"b\"]}\n"));
  EXPECT_THAT(lists.classes, ElementsAre("a", "b"));
  EXPECT_EQ(lists.votes.total(0), 2.0);
  const VoteTable numbers = load(text("v.jsonl", "{\"labels\": [2, 0]}\n{\"labels\": [1]}\n"));
  EXPECT_EQ(numbers.votes.classes(), 3u);
  EXPECT_THAT(numbers.votes.row(0).classes, ElementsAre(0, 2));
}

TEST_F(VoteRecords, JsonRecordsOfSingleAnswersAreALongTable) {
  const VoteTable table = load(gzip("v.jsonl.gz",
                                    "{\"task\": 1, \"worker\": \"a\", \"label\": \"x\"}\n"
                                    "{\"task\": 1, \"worker\": \"b\", \"label\": \"y\"}\n"));
  EXPECT_EQ(table.annotators, 2u);
  EXPECT_EQ(table.votes.total(0), 2.0);
  EXPECT_THAT(why(text("v.jsonl",
                       "{\"task\": 1, \"worker\": \"a\", \"label\": \"x\"}\n"
                       "{\"task\": 1, \"worker\": \"a\", \"label\": \"x\"}\n")),
              HasSubstr("v.jsonl:2: annotator 'a' answers a second time"));
  file_.labels_only = true;
  const VoteTable voted = load(text("v.jsonl",
                                    "{\"id\": 1, \"label\": 1}\n"
                                    "{\"id\": 2, \"label\": 0}\n"));
  EXPECT_EQ(voted.votes.evidence(), Evidence::voted);
}

TEST_F(VoteRecords, BadJsonVotesNameTheLine) {
  EXPECT_THAT(why(text("v.jsonl", "{\"votes\": [1, 2]}\n{\"votes\": [1, -2]}\n")),
              HasSubstr("v.jsonl:2: row 1, column 1: vote count is -2"));
  EXPECT_THAT(why(text("v.jsonl", "{\"votes\": [1, 2]}\n{\"votes\": [1]}\n")),
              HasSubstr("v.jsonl:2: field 'votes' has 1 numbers, the first record has 2"));
  EXPECT_THAT(why(text("v.jsonl", "{\"votes\": {\"a\": 1}}\n{\"votes\": {\"a\": -1}}\n")),
              HasSubstr("v.jsonl:2: field 'votes', class 'a': vote count is -1"));
  EXPECT_THAT(why(text("v.jsonl", "{\"votes\": {\"a\": 1}}\n{\"votes\": {}}\n")),
              HasSubstr("v.jsonl:2: row 1: no votes"));
  EXPECT_THAT(why(text("v.jsonl", "{\"votes\": {\"a\": 1}}\n{\"foo\": 1}\n")),
              HasSubstr("v.jsonl:2: no field 'votes' among foo"));
  EXPECT_THAT(why(text("v.jsonl", "{\"votes\": {\"a\": 1}}\n{\"votes\": 3}\n")),
              HasSubstr("v.jsonl:2: field 'votes' is"));
  EXPECT_THAT(why(text("v.jsonl", "{\"foo\": 1}\n{\"foo\": 2}\n")), HasSubstr("no votes among"));
  EXPECT_THAT(why(text("v.jsonl", "{\"votes\": [1, true]}\n{\"votes\": [1, 2]}\n")),
              HasSubstr("item 1 is true or false"));
  EXPECT_THROW(load(text("v.jsonl", "{\"votes\": [1,\n{\"votes\": [1, 2]}\n")), Error);
  EXPECT_THROW(load(text("v.jsonl", "")), Error);
}

TEST_F(VoteRecords, PeerannotAnswersAreRead) {
  const std::string one_line = R"({"0": {"10": 1, "11": 0}, "2": {"10": 1}, "3": {}})";
  file_.expected_classes = 2;
  const VoteTable table = load(text("answers.json", one_line));
  EXPECT_EQ(table.form, "answers by task and worker");
  EXPECT_THAT(table.ids, ElementsAre("0", "2"));
  EXPECT_EQ(table.annotators, 2u);
  EXPECT_THAT(table.notes, ElementsAre("1 task without answers left out"));
  const VoteTable pretty = load(text(
      "answers.json", "{\n  \"a\": {\n    \"w\": \"cat\"\n  },\n  \"b\": {\"w\": \"dog\"}\n}"));
  EXPECT_THAT(pretty.classes, ElementsAre("cat", "dog"));
  const VoteTable rows = load(text("answers.json", "{\"0\": {\"w\": 1},\n \"1\": {\"w\": 0}}\n"));
  EXPECT_THAT(rows.votes.voted(), ElementsAre(1, 0));
}

TEST_F(VoteRecords, BadAnswersNameTaskAndWorker) {
  file_.expected_classes = 2;
  EXPECT_THAT(why(text("answers.json", "{\"0\": {\"w\": 1}, \"0\": {\"v\": 1}}")),
              HasSubstr("answers.json: key '0' given twice"));
  EXPECT_THAT(why(text("answers.json", "{\"0\": {\"w\": 1, \"w\": 0}}")),
              HasSubstr("answers.json: key 'w' given twice"));
  EXPECT_THAT(why(text("answers.json", "{\"0\": {}, \"1\": {\"w\": 1}, \"0\": {}}")),
              HasSubstr("answers.json: key '0' given twice"));
  EXPECT_THAT(why(text("answers.json", "{\"0\": {\"w\": [1]}}")),
              HasSubstr("task '0', worker 'w': label is an array"));
  EXPECT_THAT(why(text("answers.json", "{\"0\": {\"w\": 5}}")), HasSubstr("label '5' is out of"));
  EXPECT_THAT(why(text("answers.json", "{\n\"0\": {\"w\": 5},\n\"1\": 3}")),
              HasSubstr("task '1' is a whole number"));
  EXPECT_THROW(load(text("answers.json", "{\n\"0\": {\"w\": 5},\n")), Error);
}

TEST_F(VoteRecords, FilesWithoutATellingNameAreKnownByTheirFirstCharacter) {
  EXPECT_EQ(load(text("votes", "{\"votes\": [1, 2]}\n")).votes.rows(), 1u);
  EXPECT_EQ(load(text("votes.txt", "task,worker,label\n1,a,x\n")).votes.rows(), 1u);
}

}  // namespace
}  // namespace credence::io
