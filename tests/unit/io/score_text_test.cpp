// Scores from delimited text and JSON lines.
#include <cmath>

#include "io/scores/score_reader.hpp"
#include "unit/io/score_rows.hpp"

namespace credence::io {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using namespace credence::test;

class ScoreText : public ::testing::Test {
 protected:
  ScoreRows read(const std::string& name, std::string_view text, ScoreFile file = {}) {
    file.path = dir_.write(name, text);
    EXPECT_EQ(open_scores(file)->rows(), std::nullopt);
    return read_score_rows(file);
  }
  Caught refused(const std::string& name, std::string_view text, ScoreFile file = {}) {
    return caught([&] { read(name, text, file); });
  }
  TempDir dir_;
};
class ScoreCsv : public ScoreText {};
class ScoreJson : public ScoreText {};

TEST_F(ScoreCsv, PlainNumbersHaveNoNamesAndNoIds) {
  const ScoreRows all = read("a.csv", "1,2.5\n-3e-2 , +4\n");
  EXPECT_THAT(all.values, ElementsAre(1, 2.5, -3e-2, 4));
  EXPECT_THAT(all.ids, IsEmpty());
  EXPECT_THAT(all.classes, IsEmpty());
}

TEST_F(ScoreCsv, HeaderNamesClassesAndTheIdColumnStandsAnywhere) {
  const ScoreRows all = read("a.csv", "cat,Image_ID,\"dog, wild\"\n1,x,2\n3,\"y,z\",4\n");
  EXPECT_THAT(all.classes, ElementsAre("cat", "dog, wild"));
  EXPECT_THAT(all.ids, ElementsAre("x", "y,z"));
  EXPECT_THAT(all.values, ElementsAre(1, 2, 3, 4));
}

TEST_F(ScoreCsv, IdFieldNamesTheColumn) {
  const ScoreRows all = read("a.csv", "photo,cat,dog\nx,1,2\n", {.id_field = "photo"});
  EXPECT_THAT(all.ids, ElementsAre("x"));
  EXPECT_THAT(refused("a.csv", "photo,cat,dog\nx,1,2\n", {.id_field = "pic"}).text,
              AllOf(HasSubstr("a.csv:1: no column named 'pic'"), HasSubstr("photo, cat, dog")));
  EXPECT_THAT(refused("a.csv", "1,2\n", {.id_field = "pic"}).text, HasSubstr("no header row"));
}

TEST_F(ScoreCsv, NumberedHeadersNameNoClasses) {
  for (const auto* header : {"0,1,2", "p0,p1,p2", "logit_1,logit_2,logit_3", "V1,V2,V3"}) {
    const ScoreRows all = read("a.csv", std::string(header) + "\n.1,.2,.7\n");
    EXPECT_THAT(all.classes, IsEmpty()) << header;
    EXPECT_THAT(all.values, ElementsAre(.1, .2, .7)) << header;
  }
  for (const auto* header : {"id,0,1,2", ",0,1,2", "Unnamed: 0,p0,p1,p2"}) {
    const ScoreRows all = read("a.csv", std::string(header) + "\n17,.1,.2,.7\n");
    EXPECT_THAT(all.classes, IsEmpty()) << header;
    EXPECT_THAT(all.ids, ElementsAre("17")) << header;
    EXPECT_THAT(all.values, ElementsAre(.1, .2, .7)) << header;
  }
  // Two columns (0, 1) are a row of probabilities; names that only end alike are names.
  EXPECT_THAT(read("a.csv", "0,1\n1,0\n").values, ElementsAre(0, 1, 1, 0));
  EXPECT_THAT(read("a.csv", "grade0,grade1\n1,0\n").classes, ElementsAre("grade0", "grade1"));
}

TEST_F(ScoreCsv, FirstRowOfColumnNumbersIsAHeaderOnlyWhereItCannotBeScores) {
  const ScoreRows frame = read("a.csv", "0,1,2\n0.5,1,2\n");
  EXPECT_THAT(frame.values, ElementsAre(0.5, 1, 2));
  EXPECT_THAT(frame.notes, ElementsAre(AllOf(HasSubstr("a.csv:1"), HasSubstr("0,1,2"))));
  for (const auto* text : {"0,1,2\n3,1,0\n", "1,2,3\n3,1,0\n", "0,1,2\n", "a7,0,1,2\nb2,3,1,0\n"}) {
    const Caught error = refused("a.csv", text);
    EXPECT_EQ(error.code, ErrorCode::format) << text;
    EXPECT_THAT(error.text, AllOf(HasSubstr("a.csv:1"), HasSubstr("p0,p1,p2"))) << text;
  }
  // A probability is never 2, so nothing is in doubt.
  const ScoreRows probs = read("a.csv", "0,1,2\n1,0,0\n", {.kind = ScoreKind::probs});
  EXPECT_THAT(probs.values, ElementsAre(1, 0, 0));
  EXPECT_THAT(probs.notes, IsEmpty());
}

TEST_F(ScoreCsv, ZeroOneIsARowOfTwoProbabilities) {
  const ScoreRows all = read("a.csv", "0,1\n0.5,0.5\n", {.kind = ScoreKind::probs});
  EXPECT_THAT(all.values, ElementsAre(0, 1, 0.5, 0.5));
  EXPECT_THAT(all.notes, ElementsAre(HasSubstr("read as scores")));
  const ScoreRows with_ids = read("a.csv", "a7,0,1\nb2,0.5,0.5\n", {.kind = ScoreKind::probs});
  EXPECT_THAT(with_ids.ids, ElementsAre("a7", "b2"));
  EXPECT_THAT(with_ids.values, ElementsAre(0, 1, 0.5, 0.5));
}

TEST_F(ScoreCsv, TextBeforeTheNumbersOfTheFirstRowIsAnId) {
  const ScoreRows all = read("a.csv", "img1,0.5,1.5\nimg2,2,3\n");
  EXPECT_THAT(all.ids, ElementsAre("img1", "img2"));
  EXPECT_THAT(all.values, ElementsAre(0.5, 1.5, 2, 3));
}

TEST_F(ScoreCsv, TabsSemicolonsAndGzipAreRead) {
  EXPECT_THAT(read("a.tsv", "id\ta\tb\nx\t1\t2\n").values, ElementsAre(1, 2));
  EXPECT_THAT(read("a.csv", "a;b\n1;2\n").values, ElementsAre(1, 2));
  EXPECT_THAT(read("a.csv.gz", gzip("a,b\n1,2\n")).values, ElementsAre(1, 2));
}

TEST_F(ScoreCsv, SpecialValuesAreLeftToTheCaller) {
  const ScoreRows all = read("a.csv", "nan,-inf,1e999\n");
  EXPECT_TRUE(std::isnan(all.values[0]));
  EXPECT_EQ(all.values[1], -INFINITY);
  EXPECT_EQ(all.values[2], INFINITY);
}

TEST_F(ScoreCsv, CellThatIsNoNumberNamesLineColumnAndText) {
  const auto error = refused("a.csv", "id,cat,dog\nx,1,2\ny,3,n/a\n");
  EXPECT_EQ(error.code, ErrorCode::data);
  EXPECT_THAT(error.text, HasSubstr("a.csv:3: column 3 ('dog'): 'n/a' is not a number"));
  EXPECT_THAT(refused("a.csv", "1,2\n3,\n").text,
              HasSubstr("a.csv:2: column 2: the cell is blank"));
  EXPECT_THAT(refused("a.csv", "1;2\n3;2,5\n").text, HasSubstr("with a point"));
  EXPECT_THAT(refused("a.csv", "photo,cat\nx,1\n").text, HasSubstr("‹id_field›"));
}

TEST_F(ScoreCsv, RaggedRowsAreRefused) {
  EXPECT_THAT(refused("a.csv", "1,2\n3\n").text,
              HasSubstr("a.csv:2: 1 cell, but the first row has 2"));
  EXPECT_THAT(refused("a.csv", "1,2\n3,4,5\n").text, HasSubstr("a.csv:2: 3 cells"));
  EXPECT_THAT(refused("a.csv", "id,a\nx,1\nx\n").text, HasSubstr("a.csv:3: 1 cell"));
}

TEST_F(ScoreCsv, TablesWithoutRowsOrScoresAreRefused) {
  EXPECT_THAT(refused("a.csv", "id,a,b\n").text, HasSubstr("no rows after the header"));
  EXPECT_THAT(refused("a.csv", "\n\n").text, HasSubstr("no rows"));
  EXPECT_THAT(refused("a.csv", "id\nx\n").text, HasSubstr("no columns of scores"));
}

TEST_F(ScoreJson, UsualFieldsDependOnTheKind) {
  const std::string line =
      "{\"index\":9,\"uid\":\"u\",\"id\":5,\"probs\":[1,0],\"logits\":[2,3],\"logprobs\":[0,-9]}\n";
  EXPECT_THAT(read("a.json", line).values, ElementsAre(2, 3));
  EXPECT_THAT(read("a.json", line, {.kind = ScoreKind::probs}).values, ElementsAre(1, 0));
  EXPECT_THAT(read("a.json", line, {.kind = ScoreKind::log_probs}).values, ElementsAre(0, -9));
  EXPECT_THAT(read("a.json", line).ids, ElementsAre("u"));
  EXPECT_THAT(read("a.json", line, {.scores_field = "probs", .id_field = "id"}).ids,
              ElementsAre("5"));
}

TEST_F(ScoreJson, FieldThatIsMissingListsTheOnesPresent) {
  const auto error = refused("a.jsonl", "{\"uid\":1,\"output\":[1,2]}\n");
  EXPECT_THAT(
      error.text,
      AllOf(
          HasSubstr("a.jsonl:1: no field named logits, scores, logit, score; the fields are: uid, "
                    "output"),
          HasSubstr("‹scores_field›")));
  EXPECT_THAT(refused("a.jsonl", "{\"uid\":1,\"logits\":[1]}\n{\"uid\":2}\n").text,
              HasSubstr("a.jsonl:2: no field 'logits'; the fields are: uid"));
  EXPECT_THAT(refused("a.jsonl", "{\"uid\":1,\"logits\":[1]}\n{\"logits\":[1]}\n").text,
              HasSubstr("a.jsonl:2: no field 'uid'"));
  EXPECT_THAT(refused("a.jsonl", "{\"logits\":[1]}\n", {.id_field = "key"}).text,
              HasSubstr("no field 'key'"));
}

TEST_F(ScoreJson, ObjectOfScoresNamesClassesInAnyOrder) {
  const ScoreRows all =
      read("a.jsonl",
           "{\"id\":1,\"logits\":{\"e\":1,\"c\":2}}\n{\"id\":2,\"logits\":{\"c\":4,\"e\":3}}\n");
  EXPECT_THAT(all.classes, ElementsAre("e", "c"));
  EXPECT_THAT(all.values, ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(refused("a.jsonl", "{\"logits\":{\"e\":1}}\n{\"logits\":{\"x\":1}}\n").text,
              HasSubstr("a.jsonl:2: 'logits' has a class 'x'"));
  EXPECT_THAT(refused("a.jsonl", "{\"logits\":{\"e\":1,\"c\":2}}\n{\"logits\":{\"c\":1}}\n").text,
              HasSubstr("has 1 scores, but the first row has 2"));
  EXPECT_THAT(
      refused("a.jsonl", "{\"logits\":{\"e\":1,\"c\":2}}\n{\"logits\":{\"e\":1,\"e\":2}}\n").text,
      HasSubstr("a.jsonl:2: key 'e' given twice"));
}

TEST_F(ScoreJson, ClassNamesMayStandBesideTheScores) {
  EXPECT_THAT(read("a.jsonl", "{\"classes\":[\"a\",\"b\"],\"logits\":[1,2]}\n").classes,
              ElementsAre("a", "b"));
}

TEST_F(ScoreJson, WrongNumberOrTypeOfScoresIsNamedByLineAndColumn) {
  EXPECT_THAT(refused("a.jsonl", "{\"logits\":[1,2]}\n{\"logits\":[1,2,3]}\n").text,
              HasSubstr("a.jsonl:2: 'logits' has 3 scores, but the first row has 2"));
  EXPECT_THAT(refused("a.jsonl", "{\"logits\":[1,null]}\n").text,
              HasSubstr("a.jsonl:1: 'logits', column 2: null is not a number"));
  EXPECT_THAT(refused("a.jsonl", "{\"logits\":[1,\"x\"]}\n").text,
              HasSubstr("'x' is not a number"));
  EXPECT_THAT(refused("a.jsonl", "{\"logits\":[[1,2]]}\n").text, HasSubstr("an array"));
  EXPECT_THAT(refused("a.jsonl", "{\"logits\":true}\n").text,
              HasSubstr("true or false is not a number"));
  EXPECT_THAT(refused("a.jsonl", "{\"logits\":3}\n{\"logits\":[1,2]}\n").text,
              HasSubstr("a.jsonl:2: 'logits', column 1: an array is not a number"));
  EXPECT_THAT(refused("a.jsonl", "{\"logits\":[]}\n").text, HasSubstr("'logits' is empty"));
  EXPECT_THAT(refused("a.jsonl", "{\"logits\":[1]}\n{\"logits\":{\"a\":1}}\n").text,
              HasSubstr("a.jsonl:2: 'logits' is an object"));
}

TEST_F(ScoreJson, MinusInfinityMayBeWrittenInQuotes) {
  EXPECT_THAT(read("a.jsonl", "{\"logits\":[1,\"-inf\"]}\n").values, ElementsAre(1, -INFINITY));
}

}  // namespace
}  // namespace credence::io
