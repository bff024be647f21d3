// Layouts of shared tasks and data sets: LeWiDi, DICES, POPQUORN, HelpSteer, MultiPref, lists of
// the `datasets` library, arrays with a column per annotator.
#include <cmath>

#include "unit/io/published_files.hpp"

namespace credence::io {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class PublishedTasks : public Published {};

// The edition of 2023: labels and annotators between commas.
const char* const kLewidi2023 = R"({
  "1": {"text": "a", "annotation task": "hate speech", "number of annotations": 3,
        "annotations": "0,1,1", "annotators": "Ann1,Ann2,Ann3", "lang": "en",
        "hard_label": "1", "soft_label": {"0": 0.33, "1": 0.67}, "split": "train"},
  "17": {"text": "b", "annotation task": "hate speech", "number of annotations": 2,
        "annotations": "0,0", "annotators": "Ann1,Ann4", "lang": "en",
        "hard_label": "0", "soft_label": {"0": 1.0, "1": 0.0}, "split": "train"}
})";

TEST_F(PublishedTasks, Lewidi2023ListsLabelsBesideAnnotators) {
  const VoteTable table = load(text("HS_train.json", kLewidi2023));
  EXPECT_EQ(table.form, "LeWiDi, annotations by annotator");
  EXPECT_THAT(table.ids, ElementsAre("1", "17"));
  EXPECT_EQ(table.votes.classes(), 2u);
  EXPECT_THAT(table.classes, IsEmpty());  // 0 and 1 are indices
  EXPECT_THAT(counts(table, 0), ElementsAre(1, 2));
  EXPECT_THAT(counts(table, 1), ElementsAre(2, 0));
  EXPECT_EQ(table.annotators, 4u);
  file_.votes_field = "soft_label";
  const VoteTable shares = load(text("HS_train.json", kLewidi2023));
  EXPECT_THAT(counts(shares, 0), ElementsAre(0.33, 0.67));
  EXPECT_EQ(shares.form, "LeWiDi, shares of soft_label");
}

TEST_F(PublishedTasks, Lewidi2025HasAnObjectOfAnnotatorsAndDecimalKeys) {
  const VoteTable table = load(text("MP_dev.json", R"({
    "2": {"annotation task": "irony detection", "annotators": "Ann0,Ann20,Ann59",
          "number of annotations": 3, "annotations": {"Ann0": "0", "Ann20": "1", "Ann59": "1"},
          "soft_label": {"0.0": 0.33, "1.0": 0.67}, "split": "dev"},
    "5": {"annotation task": "irony detection", "annotators": "Ann0",
          "number of annotations": 1, "annotations": {"Ann0": "0"},
          "soft_label": {"0.0": 1.0, "1.0": 0}, "split": "dev"}})"));
  EXPECT_THAT(table.ids, ElementsAre("2", "5"));
  EXPECT_THAT(counts(table, 0), ElementsAre(1, 2));
  EXPECT_EQ(table.annotators, 3u);
  EXPECT_THAT(table.notes, Contains(HasSubstr("'1.0', which stand for the labels '1'")));
}

TEST_F(PublishedTasks, LewidiClassesNobodyChoseAreKeptWithANote) {
  const std::string scale = R"({"9": {"annotation task": "sarcasm detection",
    "annotations": {"Ann1": "1", "Ann2": "4"}, "soft_label":
    {"1": 0.5, "2": 0.0, "3": 0.0, "4": 0.5, "5": 0.0, "6": 0.0}}})";
  const VoteTable table = load(text("CSC_dev.json", scale));
  EXPECT_THAT(table.classes, ElementsAre("1", "2", "3", "4", "5", "6"));
  EXPECT_THAT(counts(table, 0), ElementsAre(1, 0, 0, 1, 0, 0));
  EXPECT_THAT(table.notes, Contains("nobody chose some of the classes: 2, 3, 5, 6"));
  file_.drop_labels = {"4"};
  EXPECT_THAT(load(text("CSC_dev.json", scale)).classes, ElementsAre("1", "2", "3", "5", "6"));
}

TEST_F(PublishedTasks, LewidiAnnotatorWithTwoLabelsSharesTheVote) {
  const VoteTable table = load(text("VariErrNLI_dev.json", R"({"49807": {
    "annotation task": "natural language inference", "annotators": "Ann1,Ann2,Ann2,Ann3",
    "annotations": {"Ann1": "neutral", "Ann2": "entailment,neutral", "Ann3": "neutral"},
    "soft_label": {"contradiction": {"0": 1.0, "1": 0.0}, "entailment": {"0": 0.67, "1": 0.33},
                   "neutral": {"0": 0.0, "1": 1.0}}}})"));
  EXPECT_THAT(table.classes, ElementsAre("contradiction", "entailment", "neutral"));
  EXPECT_THAT(counts(table, 0), ElementsAre(0, 0.5, 2.5));
  EXPECT_THAT(table.notes, Contains(HasSubstr("1 answer with several labels")));
  EXPECT_EQ(table.annotators, 3u);
}

TEST_F(PublishedTasks, LewidiThatIsWrongSaysWhichItem) {
  EXPECT_THAT(why("a.json", R"({"7": {"annotation task": "x", "annotations": "0,1,1",
                              "annotators": "Ann1,Ann2", "soft_label": {"0": 0.3, "1": 0.7}}})"),
              HasSubstr("item '7': 3 labels but 2 annotators"));
  const char* finer = R"({"7": {"annotation task": "x", "annotations": "0,-2",
                          "annotators": "Ann1,Ann2", "soft_label": {"0": 0.5, "1": 0.5}}})";
  EXPECT_THAT(why("a.json", finer), HasSubstr("label '-2' is not among the classes"));
  EXPECT_THAT(way_out("a.json", finer), HasSubstr("‹votes_field=soft_label›"));
  EXPECT_THAT(why("a.json", R"({"7": {"annotation task": "x", "annotations": 3}})"),
              HasSubstr("annotations is a whole number"));
  EXPECT_THAT(
      why("a.json", "{\"7\": {\"annotation task\": \"x\", \"annotations\": \"0\"},\n\"8\": 1}"),
      HasSubstr("item '8': a whole number; an object is wanted"));
  EXPECT_THAT(why("a.json", R"({"7": {"annotation task": "x", "annotations": "",
                              "soft_label": {"0": 0.5, "1": 0.5}}})"),
              HasSubstr("no annotations"));
  file_.format = "lewidi";
  EXPECT_THAT(why("a.json", std::string(kLewidi2023).substr(0, 200)), HasSubstr("not valid JSON"));
  file_.format.clear();
  survives("a.json", R"({"7":{"annotation task":"x","annotations":"0,1","soft_label":{"0":1}}})");
}

TEST_F(PublishedTasks, DicesIsReadFromItsOverallQuestion) {
  const std::string table_text =
      "rater_id,rater_gender,rater_race,phase,item_id,context,response,degree_of_harm,"
      "safety_gold,Q2_harmful_content_overall,Q_overall\n"
      "296,Woman,White,Phase2,0,\"hi, you\",fine,Benign,No,No,No\n"
      "297,Man,Asian,Phase2,0,\"hi, you\",fine,Benign,No,Yes,Yes\n"
      "296,Woman,White,Phase2,1,bye,so long,Debatable,Yes,Unsure,Unsure\n"
      "297,Man,Asian,Phase2,1,bye,so long,Debatable,Yes,Yes,Yes\n";
  const std::string path = text("diverse_safety_adversarial_dialog_350.csv", table_text);
  const VoteTable table = load(path);
  EXPECT_EQ(table.form, "long table (item_id, rater_id, Q_overall)");
  EXPECT_THAT(table.ids, ElementsAre("0", "1"));
  EXPECT_THAT(table.classes, ElementsAre("No", "Unsure", "Yes"));
  EXPECT_EQ(table.annotators, 2u);
  EXPECT_THAT(table.notes, Contains(HasSubstr("columns of DICES: the answers to 'Q_overall'")));
  // As pandas saves it, with an unnamed index.
  EXPECT_EQ(load(text("index.csv",
                      ",rater_id,item_id,response,Q_overall\n0,296,0,fine,No\n1,297,0,fine,Yes\n"))
                .form,
            "long table (item_id, rater_id, Q_overall)");
  file_.drop_labels = {"unsure"};
  EXPECT_THAT(counts(load(path), 1), ElementsAre(0, 1));
  file_.votes_field = "Q2_harmful_content_overall";
  EXPECT_EQ(load(path).form, "long table (item_id, rater_id, Q2_harmful_content_overall)");
}

TEST_F(PublishedTasks, PopquornIsReadFromItsRating) {
  const std::string path = text("raw_data.csv",
                                "instance_id,user_id,text,offensiveness,gender,race,age\n"
                                "530,0,\"a, b\",1.0,Man,White,35-39\n"
                                "530,1,\"a, b\",3.0,Woman,White,50-54\n"
                                "12,1,c,5.0,Woman,White,50-54\n");
  file_.classes = {"1", "2", "3", "4", "5"};
  const VoteTable table = load(path);
  EXPECT_THAT(table.ids, ElementsAre("530", "12"));
  EXPECT_THAT(counts(table, 0), ElementsAre(1, 0, 1, 0, 0));
  EXPECT_THAT(counts(table, 1), ElementsAre(0, 0, 0, 0, 1));
  EXPECT_EQ(table.annotators, 2u);
  file_.classes.clear();
  file_.expected_classes = 5;
  EXPECT_THAT(error_of([&] { load(path); }).hint(), HasSubstr("‹vote_classes›"));
}

TEST_F(PublishedTasks, HelpSteerPreferencesMakeAsManyClassesAsTheScoresHave) {
  const std::string path = text(
      "train.jsonl",
      R"({"domain": "general", "response1": "a", "response2": "b", "overall_preference": -2, )"
      R"("individual_preference": [{"score": -2, "reasoning": "r"}, {"score": 0}, {"score": 1}]})"
      "\n"
      R"({"domain": "code", "individual_preference": [{"score": 3}, {"score": 3}]})"
      "\n");
  const VoteTable levels = load(path);
  EXPECT_THAT(levels.classes, ElementsAre("-3", "-2", "-1", "0", "1", "2", "3"));
  EXPECT_THAT(counts(levels, 0), ElementsAre(0, 1, 0, 1, 1, 0, 0));
  file_.expected_classes = 3;
  EXPECT_THAT(counts(load(path), 0), ElementsAre(1, 1, 1));
  EXPECT_THAT(load(path).classes, ElementsAre("response_1", "tie", "response_2"));
  file_.expected_classes = 2;
  EXPECT_THAT(counts(load(path), 0), ElementsAre(1.5, 1.5));
  EXPECT_THAT(counts(load(path), 1), ElementsAre(0, 2));
  EXPECT_THAT(load(path).notes, Contains(HasSubstr("1 tie: the vote is shared by both")));
  file_.expected_classes = 4;
  EXPECT_THAT(error_of([&] { load(path); }).what(),
              HasSubstr("preferences have 7 strengths, but the scores have 4 classes"));
}

TEST_F(PublishedTasks, HelpSteer2LeavesOutThatNeitherIsGood) {
  file_.expected_classes = 2;
  const VoteTable table = load(text(
      "preference.jsonl",
      R"({"prompt": "p", "all_preferences_unprocessed": [{"strength": -1, "justification": "j"}, )"
      R"({"strength": -100}, {"strength": 2}, {"strength": 1}]})"
      "\n"));
  EXPECT_THAT(counts(table, 0), ElementsAre(1, 2));
  EXPECT_THAT(table.notes, Contains("1 answer that neither response is good left out"));
  EXPECT_THAT(why("p.jsonl", R"({"all_preferences_unprocessed": [{"strength": 7}]})"),
              HasSubstr("p.jsonl:1: preference is 7; a whole number from -3 to 3"));
  EXPECT_THAT(why("p.jsonl", R"({"individual_preference": [3]})"),
              HasSubstr("a preference is a whole number; an object is wanted"));
  survives("p.jsonl", R"({"individual_preference": [{"score": -1}, {"score": 2}]})");
}

TEST_F(PublishedTasks, MultiPrefJoinsNormalAndExpertAnnotators) {
  const std::string path = text(
      "multipref.jsonl",
      R"({"comparison_id": "c1", "prompt_id": "p", "normal_worker_annotations": )"
      R"([{"evaluator": "n1", "overall_pref": "A-is-clearly-better", "helpful_pref": "Tie"}, )"
      R"({"evaluator": "n2", "overall_pref": "B-is-slightly-better", "helpful_pref": "Tie"}], )"
      R"("expert_worker_annotations": [{"evaluator": "e1", "overall_pref": "Tie", )"
      R"("helpful_pref": "B-is-clearly-better"}]})"
      "\n");
  const VoteTable table = load(path);
  EXPECT_THAT(table.ids, ElementsAre("c1"));
  EXPECT_THAT(counts(table, 0), ElementsAre(1, 0, 1, 1, 0));
  EXPECT_EQ(table.annotators, 3u);
  EXPECT_EQ(table.classes[0], "A-is-clearly-better");
  file_.votes_field = "helpful_pref";
  EXPECT_THAT(counts(load(path), 0), ElementsAre(0, 0, 2, 0, 1));
  file_.votes_field.clear();
  EXPECT_THAT(why("m.jsonl", R"({"normal_worker_annotations": [{"overall_pref": "A"}]})"),
              HasSubstr("preference 'A' is not one of A-is-clearly-better"));
}

TEST_F(PublishedTasks, ListsOfLabelsMayNameTheirAnnotators) {
  file_.expected_classes = 3;
  const VoteTable flat =
      load(text("d.jsonl",
                "{\"id\": \"x\", \"labels\": [0, 2, 2], \"annotators\": [\"a\", \"b\", \"c\"]}\n"
                "{\"id\": \"y\", \"labels\": [1, null], \"annotators\": [\"a\", \"d\"]}\n"));
  EXPECT_THAT(counts(flat, 0), ElementsAre(1, 0, 2));
  EXPECT_THAT(counts(flat, 1), ElementsAre(0, 1, 0));
  EXPECT_EQ(flat.annotators, 3u);
  const VoteTable lists = load(
      text("e.jsonl",
           "{\"id\": \"x\", \"annotators\": {\"label\": [0, 2], \"annotator_id\": [1, 7]}}\n"));
  EXPECT_THAT(counts(lists, 0), ElementsAre(1, 0, 1));
  EXPECT_EQ(lists.annotators, 2u);
  const VoteTable objects = load(text("f.jsonl",
                                      "{\"id\": \"x\", \"annotations\": [{\"worker\": 1, "
                                      "\"label\": 0}, {\"worker\": 2, \"label\": 1}]}\n"));
  EXPECT_THAT(counts(objects, 0), ElementsAre(1, 1, 0));
  EXPECT_EQ(objects.annotators, 2u);
}

TEST_F(PublishedTasks, ListsThatDoNotFitAreRefused) {
  file_.expected_classes = 3;
  EXPECT_THAT(why("d.jsonl", "{\"id\": 1, \"labels\": [0, 2], \"annotators\": [\"a\"]}\n"),
              HasSubstr("d.jsonl:1: field 'labels': 2 labels but 1 annotators"));
  EXPECT_THAT(why("d.jsonl", "{\"id\": 1, \"labels\": [0, 2], \"annotators\": [\"a\", \"a\"]}\n"),
              HasSubstr("annotator 'a' answers a second time"));
  EXPECT_THAT(why("d.jsonl", "{\"id\": 1, \"annotations\": [{\"worker\": 1}]}\n"),
              HasSubstr("an item has no field with a label"));
  const char* ratings = "{\"id\": 1, \"helpfulness\": [2, 0]}\n";
  file_.votes_field = "helpfulness";
  EXPECT_THAT(way_out("d.jsonl", ratings), HasSubstr("‹votes_format=annotators›"));
  file_.format = "annotators";
  EXPECT_THAT(counts(load(text("d.jsonl", ratings)), 0), ElementsAre(1, 0, 1));
}

TEST_F(PublishedTasks, ArrayWithGapsHasAColumnPerAnnotator) {
  file_.expected_classes = 3;
  const VoteTable table = load(npy<std::int64_t>("v.npy", {0, 2, -1, 2, 1, -1, -1, -1}, 4));
  EXPECT_EQ(table.form, "array of labels (4 annotators)");
  EXPECT_THAT(counts(table, 0), ElementsAre(1, 0, 2));
  EXPECT_THAT(counts(table, 1), ElementsAre(0, 1, 0));
  EXPECT_THAT(table.notes, Contains(AllOf(HasSubstr("4 columns of"), HasSubstr("4 answers are "
                                                                               "missing"))));
  const double nan = std::nan("");
  EXPECT_THAT(counts(load(npy<double>("n.npy", {0, 2, nan, nan}, 4)), 0), ElementsAre(1, 0, 1));
}

TEST_F(PublishedTasks, ArrayThatMayHoldCountsIsNotGuessedAt) {
  file_.expected_classes = 2;
  const std::string file = npy<std::int64_t>("v.npy", {1, -1, 0, 1}, 2);
  EXPECT_THAT(error_of([&] { load(file); }).what(), HasSubstr("vote count is -1"));
  EXPECT_THAT(error_of([&] { load(file); }).hint(), HasSubstr("‹votes_format=annotators›"));
  file_.format = "annotators";
  EXPECT_THAT(counts(load(file), 1), ElementsAre(1, 1));
  const std::string full = npy<std::int64_t>("f.npy", {1, 1, 0, 1}, 2);
  EXPECT_THAT(counts(load(full), 0), ElementsAre(0, 2));
  EXPECT_THAT(error_of([&] {
                load(npy<std::int64_t>("g.npy", {1, 5}, 2));
              }).what(),
              HasSubstr("label '5' is out of range"));
  file_.format = "counts";
  EXPECT_THAT(counts(load(full), 0), ElementsAre(1, 1));
  file_.format = "lewidi";
  EXPECT_THAT(error_of([&] { load(full); }).what(), HasSubstr("is a form of JSON"));
}

TEST_F(PublishedTasks, TablesCanBeSaidToHoldLabels) {
  file_.expected_classes = 3;
  const std::string file = text("v.csv", "id,ann,bob,cyd\nx,0,1,1\ny,2,-1,2\n");
  file_.format = "annotators";
  EXPECT_THAT(counts(load(file), 0), ElementsAre(1, 2, 0));
  EXPECT_THAT(counts(load(file), 1), ElementsAre(0, 0, 2));
  file_.format = "counts";
  EXPECT_THAT(error_of([&] { load(file); }).what(), HasSubstr("vote count is -1"));
  file_.format = "auto";
  EXPECT_THAT(error_of([&] { load(file); }).what(), HasSubstr("vote count is -1"));
}

}  // namespace
}  // namespace credence::io
