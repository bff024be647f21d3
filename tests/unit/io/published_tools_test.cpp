// What annotation tools export: Argilla, Label Studio, Prodigy.
#include "credence/options.hpp"
#include "unit/io/published_files.hpp"

namespace credence::io {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class PublishedTools : public Published {};

/// One response, as records before version 2 hold it.
std::string response(const std::string& user, const std::string& label, const std::string& status) {
  return R"({"values": {"label": {"value": ")" + label + R"("}}, "status": ")" + status +
         R"(", "user_id": ")" + user + R"("})";
}

TEST_F(PublishedTools, ArgillaCountsOnlySubmittedResponses) {
  const VoteTable table = load(text(
      "records.json",
      R"([{"id": "u1", "external_id": "x", "fields": {"text": "a"}, )"
      R"("responses": [)" +
          response("ann", "pos", "submitted") + "," + response("bob", "neg", "submitted") + "," +
          response("cyd", "neg", "draft") +
          R"(]}, {"id": "u2", )"
          R"("external_id": "y", "fields": {"text": "b"}, "responses": [)" +
          response("ann", "neg", "submitted") + "," + response("bob", "pos", "discarded") + "]}]"));
  EXPECT_THAT(table.ids, ElementsAre("x", "y"));
  EXPECT_THAT(table.classes, ElementsAre("neg", "pos"));
  EXPECT_THAT(counts(table, 0), ElementsAre(1, 1));
  EXPECT_THAT(counts(table, 1), ElementsAre(1, 0));
  EXPECT_EQ(table.annotators, 2u);
  EXPECT_EQ(table.form, "Argilla records, question 'label', submitted responses");
  EXPECT_THAT(table.notes, AllOf(Contains("1 'draft' response left out"),
                                 Contains("1 'discarded' response left out")));
}

TEST_F(PublishedTools, ArgillaLayoutsByQuestionSayTheSame) {
  const std::string layouts[] = {
      // Version 2, exported as JSON.
      R"({"id": "x", "fields": {"text": "a"}, "responses": {"label": [)"
      R"({"value": "pos", "user_id": "ann", "status": "submitted"}, )"
      R"({"value": "neg", "user_id": "bob", "status": "draft"}]}})",
      // Version 2, as a flat table of the `datasets` library.
      R"({"id": "x", "text": "a", "label.responses": ["pos", "neg"], )"
      R"("label.responses.users": ["ann", "bob"], )"
      R"("label.responses.status": ["submitted", "draft"], "label.suggestion": "neg"})",
      // Version 1, as a table of the `datasets` library.
      R"({"id": "x", "text": "a", "label": [)"
      R"({"user_id": "ann", "value": "pos", "status": "submitted"}, )"
      R"({"user_id": "bob", "value": "neg", "status": "draft"}], "label-suggestion": "neg"})"};
  file_.classes = {"neg", "pos"};
  for (const std::string& layout : layouts) {
    const VoteTable table = load(text("r.jsonl", layout + "\n"));
    EXPECT_THAT(table.ids, ElementsAre("x")) << layout;
    EXPECT_THAT(counts(table, 0), ElementsAre(0, 1)) << layout;
    EXPECT_EQ(table.annotators, 1u) << layout;
    EXPECT_THAT(table.notes, Contains("1 'draft' response left out")) << layout;
  }
}

TEST_F(PublishedTools, ArgillaResponsesWithoutStatusCountWithANote) {
  const VoteTable table = load(text(
      "r.json", R"([{"id": "x", "fields": {}, "responses": {"topic": [)"
                R"({"value": ["a", "b"], "user_id": "u"}, {"value": "a", "user_id": "v"}]}}])"));
  EXPECT_THAT(counts(table, 0), ElementsAre(1.5, 0.5));
  EXPECT_THAT(table.notes, Contains("2 responses have no status and count as submitted"));
  EXPECT_THAT(table.notes, Contains(HasSubstr("1 answer with several labels")));
}

TEST_F(PublishedTools, ArgillaWithSeveralQuestionsAsksWhich) {
  const std::string two =
      R"({"id": "x", "fields": {}, "responses": {"label": [{"value": "a", "user_id": "u"}], )"
      R"("quality": [{"value": 3, "user_id": "u"}]}})";
  EXPECT_THAT(why("r.jsonl", two), HasSubstr("r.jsonl:1: more than one question: 'label' and"));
  EXPECT_THAT(way_out("r.jsonl", two), HasSubstr("‹votes_field›"));
  file_.votes_field = "quality";
  file_.expected_classes = 5;
  EXPECT_THAT(counts(load(text("r.jsonl", two)), 0), ElementsAre(0, 0, 0, 1, 0));
}

TEST_F(PublishedTools, ArgillaThatIsWrongIsRefused) {
  EXPECT_THAT(why("r.jsonl", R"({"id": 1, "fields": {}, "responses": {"label": [)"
                             R"({"value": {"a": 1}, "user_id": "u"}]}})"),
              HasSubstr("the value is an object; a label is wanted"));
  EXPECT_THAT(why("r.jsonl", R"({"id": 1, "q.responses": ["a"], "q.responses.users": []})"),
              HasSubstr("'q.responses' has 1 items, its users or states 0"));
  EXPECT_THAT(why("r.jsonl", R"({"id": 1, "fields": {}, "responses": {"label": [3]}})"),
              HasSubstr("a response is a whole number"));
  EXPECT_THAT(why("r.jsonl", R"({"id": 1, "fields": {}, "responses": {"label": []}})"),
              HasSubstr("no votes at all"));
  survives("r.jsonl",
           R"({"id":1,"fields":{},"responses":[)" + response("u", "a", "submitted") + "]}");
}

std::string annotation(const std::string& who, const std::string& choices,
                       const std::string& more = {}) {
  return R"({"id": 1, "completed_by": )" + who +
         R"(, "result": [{"from_name": "sentiment", "to_name": "text", "type": "choices", )"
         R"("value": {"choices": [)" +
         choices + "]}}]" + more + "}";
}

TEST_F(PublishedTools, LabelStudioChoicesAreVotesUnlessCancelled) {
  const VoteTable table = load(text(
      "project-1.json",
      R"([{"id": 11, "data": {"text": "a", "id": "x"}, "project": 1, "annotations": [)" +
          annotation("1", "\"Positive\"") + "," +
          annotation(R"({"id": 2, "email": "b@example.org"})", "\"Negative\"") + "," +
          annotation("3", "\"Negative\"", ", \"was_cancelled\": true") +
          R"(], "predictions": []}, {"id": 12, "data": {"text": "b", "id": "y"}, "annotations": [)" +
          annotation("1", "\"Negative\"", ", \"was_cancelled\": false") + "," +
          annotation("2", "") + "]}]"));
  EXPECT_THAT(table.ids, ElementsAre("11", "12"));
  EXPECT_THAT(table.classes, ElementsAre("Negative", "Positive"));
  EXPECT_THAT(counts(table, 0), ElementsAre(1, 1));
  EXPECT_THAT(counts(table, 1), ElementsAre(1, 0));
  EXPECT_EQ(table.annotators, 2u);
  EXPECT_EQ(table.form, "Label Studio tasks, choices of 'sentiment'");
  EXPECT_THAT(table.notes, AllOf(Contains("1 cancelled annotation left out"),
                                 Contains("1 annotation without a choice left out"),
                                 Contains(HasSubstr("‹id_field=data.id›"))));
}

TEST_F(PublishedTools, LabelStudioIdsMayStandInTheData) {
  file_.id_field = "data.id";
  file_.classes = {"n", "p"};
  const VoteTable table =
      load(text("t.json", R"([{"id": 11, "data": {"id": "x"}, "annotations": [)" +
                              annotation("1", "\"p\",\"n\"") + "]}]"));
  EXPECT_THAT(table.ids, ElementsAre("x"));
  EXPECT_THAT(counts(table, 0), ElementsAre(0.5, 0.5));
}

TEST_F(PublishedTools, LabelStudioThatIsWrongIsRefused) {
  const std::string start = R"([{"id": 1, "data": {}, "annotations": [)";
  const std::string two = start + annotation("1", "\"p\"") + "," +
                          R"({"completed_by": 2, "result": [{"from_name": "topic", "value": )"
                          R"({"choices": ["t"]}}]}]}])";
  EXPECT_THAT(why("t.json", two), HasSubstr("t.json:1: choices of 'sentiment' and of 'topic'"));
  EXPECT_THAT(way_out("t.json", two), HasSubstr("‹votes_field›"));
  EXPECT_THAT(why("t.json", start + annotation("1", "{}") + "]}]"),
              HasSubstr("a choice is an object; a label is wanted"));
  EXPECT_THAT(
      why("t.json", start + annotation("1", "\"p\"") + "," + annotation("1", "\"n\"") + "]}]"),
      HasSubstr("annotator '1' answers a second time"));
  EXPECT_THAT(why("t.json", start + annotation("1", "\"p\"") + "]}"),
              HasSubstr("the array is never closed"));
  survives("t.json", start + annotation("1", "\"p\"") + "]}]");
}

std::string choice(const std::string& hash, const std::string& who, const std::string& accept,
                   const std::string& answer = "accept") {
  return R"({"text": "t", "_input_hash": )" + hash +
         R"(, "_task_hash": 5, "options": [)"
         R"({"id": "A", "text": "a"}, {"id": "B", "text": "b"}, {"id": "C", "text": "c"}], )"
         R"("accept": [)" +
         accept + R"(], "answer": ")" + answer + R"(", "_session_id": "db-)" + who +
         R"(", "_annotator_id": "db-)" + who + "\"}\n";
}

TEST_F(PublishedTools, ProdigyChoicesOfOneInputBelongTogether) {
  const VoteTable table = load(text(
      "choice.jsonl", choice("-77", "ann", "\"A\"") + choice("12", "ann", "\"B\"") +
                          choice("-77", "bob", "\"B\"") + choice("12", "bob", "\"A\"", "ignore") +
                          choice("12", "cyd", "\"B\"", "reject")));
  EXPECT_THAT(table.ids, IsEmpty());
  EXPECT_TRUE(table.gathered);
  EXPECT_EQ(table.votes.rows(), 2u);
  EXPECT_THAT(table.classes, ElementsAre("A", "B", "C"));  // C is an option nobody chose
  EXPECT_THAT(counts(table, 0), ElementsAre(1, 1, 0));
  EXPECT_THAT(counts(table, 1), ElementsAre(0, 1, 0));
  EXPECT_EQ(table.annotators, 2u);
  EXPECT_THAT(table.notes,
              AllOf(Contains("1 ignored answer left out"), Contains("1 rejected answer left out"),
                    Contains(HasSubstr("‹id_field›"))));
}

TEST_F(PublishedTools, ProdigyAcceptAndRejectAreTwoClasses) {
  const std::string start =
      R"({"meta": {"id": "x"}, "label": "SPAM", "_input_hash": 1, "answer": ")";
  const VoteTable table =
      load(text("b.jsonl", start + "accept\", \"_annotator_id\": \"a\"}\n" + start +
                               "reject\", \"_annotator_id\": \"b\"}\n" + start +
                               "accept\", \"_annotator_id\": \"c\"}\n"));
  EXPECT_THAT(table.ids, ElementsAre("x"));
  EXPECT_THAT(table.classes, ElementsAre("reject", "accept"));
  EXPECT_THAT(counts(table, 0), ElementsAre(1, 2));
  EXPECT_THAT(table.notes, Contains("the classes are reject and accept (of 'SPAM')"));
}

TEST_F(PublishedTools, ProdigyThatIsWrongIsRefused) {
  const std::string good = choice("1", "ann", "\"A\"");
  EXPECT_THAT(why("c.jsonl", good + choice("1", "bob", "\"A\"", "maybe")),
              HasSubstr("c.jsonl:2: answer is 'maybe'; accept, reject or ignore"));
  EXPECT_THAT(why("c.jsonl", good + choice("1", "ann", "\"B\"")),
              HasSubstr("annotator 'db-ann' answers a second time"));
  EXPECT_THAT(why("c.jsonl", good + "{\"_input_hash\": 1, \"answer\": \"accept\"}\n"),
              HasSubstr("no choice in 'accept', unlike the records before"));
  EXPECT_THAT(why("c.jsonl", R"({"_session_id": "s", "answer": "accept", "accept": ["A"]})"),
              HasSubstr("neither an id nor an _input_hash"));
  EXPECT_THAT(why("c.jsonl", R"({"_input_hash": 1, "answer": "accept", "accept": [{}]})"),
              HasSubstr("accept holds an object"));
  const std::string label = R"({"_input_hash": 1, "answer": "accept", "label": ")";
  EXPECT_THAT(why("c.jsonl", label + "X\"}\n" + label + "Y\"}\n"),
              HasSubstr("accept and reject of more than one label: 'X' and 'Y'"));
  survives("c.jsonl", R"({"_input_hash":1,"answer":"accept","accept":["A"],"_session_id":"s"})");
}

TEST_F(PublishedTools, EveryFormatThatCanBeAskedForIsKnown) {
  std::string names(info(Option::votes_format).values.words);
  for (char& c : names) c = c == '|' ? ' ' : c;
  std::istringstream words(names);
  for (std::string name; words >> name;) {
    if (name == "auto" || name == "counts" || name == "annotators") continue;
    // A layout that is asked for is read as such, whatever the record looks like.
    file_.format = name;
    const Error error = error_of([&] { load(text("r.json", "{\"1\": {\"x\": 0}}")); });
    EXPECT_THAT(error.what(), testing::Not(HasSubstr("form of JSON"))) << name;
    EXPECT_THROW(load(text("v.csv", "a,b\n1,2\n")), Error) << name;
  }
}

}  // namespace
}  // namespace credence::io
