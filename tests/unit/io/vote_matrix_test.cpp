// Votes as arrays and tables with one row per example.
#include <gmock/gmock.h>

#include <limits>

#include "credence/io.hpp"
#include "unit/io/vote_files.hpp"

namespace credence::io {
namespace {

using testing::AllOf;
using testing::AnyOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class VoteMatrix : public VoteFiles {
 protected:
  VoteTable load(const std::string& file_path, std::size_t classes = 0) const {
    VoteFile file;
    file.path = file_path;
    file.expected_classes = classes;
    return load_votes(file);
  }
  VoteTable labels(const std::string& file_path, std::size_t classes = 0,
                   std::vector<std::string> names = {}) const {
    VoteFile file;
    file.path = file_path;
    file.expected_classes = classes;
    file.classes = std::move(names);
    file.labels_only = true;
    return load_votes(file);
  }
  std::string why(const std::string& file_path, std::size_t classes = 0) const {
    return error_of([&] { load(file_path, classes); }).what();
  }
};

TEST_F(VoteMatrix, IntegerMatrixIsCounts) {
  const VoteTable table = load(npy<std::int64_t>("v.npy", {3, 0, 2, 0, 5, 0}, 3));
  EXPECT_EQ(table.form, "count matrix");
  EXPECT_EQ(table.votes.classes(), 3u);
  EXPECT_THAT(table.votes.row(0).classes, ElementsAre(0, 2));
  EXPECT_THAT(table.votes.row(0).weights, ElementsAre(3, 2));
  EXPECT_EQ(table.votes.evidence(), Evidence::distributions);
}

TEST_F(VoteMatrix, FractionsThatSumToOneAreShares) {
  const VoteTable table = load(npy<float>("v.npy", {0.25f, 0.75f, 1.0f, 0.0f}, 2));
  EXPECT_EQ(table.form, "matrix of shares");
  EXPECT_TRUE(table.votes.are_shares());
}

TEST_F(VoteMatrix, OneNumberPerExampleIsOneAnnotationOrAVotedLabel) {
  const std::string file = npy<std::int32_t>("y.npy", {2, 0, 1}, 0);
  EXPECT_EQ(load(file, 3).votes.evidence(), Evidence::annotations);
  EXPECT_EQ(load(file, 3).form, "one annotation per example");
  EXPECT_EQ(labels(file, 3).votes.evidence(), Evidence::voted);
  EXPECT_THAT(labels(file, 3).votes.voted(), ElementsAre(2, 0, 1));
  EXPECT_THAT(labels(npy<std::uint8_t>("c.npy", {1, 0}, 1), 2).votes.voted(), ElementsAre(1, 0));
}

TEST_F(VoteMatrix, ClassesAreCountedWhenNobodySaysHowMany) {
  const VoteTable table = labels(npy<std::int64_t>("y.npy", {4, 0}, 0));
  EXPECT_EQ(table.votes.classes(), 5u);
  EXPECT_THAT(table.notes, ElementsAre(HasSubstr("5, is taken from the largest label")));
}

TEST_F(VoteMatrix, BadEntriesNameFileRowColumnAndValue) {
  const std::string negative = npy<std::int64_t>("v.npy", {1, 0, 3, -2}, 2);
  EXPECT_EQ(why(negative), negative +
                               ": row 1, column 1: vote count is -2; votes cannot be "
                               "negative");
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(why(npy<double>("n.npy", {1, 0, 1, nan}, 2)),
              HasSubstr("row 1, column 1: vote count is nan"));
  EXPECT_THAT(why(npy<std::int64_t>("e.npy", {1, 0, 0, 0, 1, 1}, 2)), HasSubstr("row 1: no votes"));
  EXPECT_THAT(why(text("v.csv", "a,b\n1,2\n3,-1\n")),
              HasSubstr("v.csv:3: row 1, column 1: vote count is -1"));
  EXPECT_THAT(error_of([&] {
                load(npy<std::int64_t>("z.npy", {1, 0, 0, 0}, 2));
              }).hint(),
              HasSubstr("‹skip_rows=FILE›"));
}

TEST_F(VoteMatrix, LabelsOutOfRangeNameRowAndRange) {
  const std::string file = npy<std::int64_t>("y.npy", {0, 3, -1}, 0);
  EXPECT_EQ(error_of([&] { labels(file, 3); }).what(),
            file + ": row 1: label is 3; labels are class indices from 0 to 2");
  EXPECT_THAT(error_of([&] {
                labels(npy<std::int64_t>("m.npy", {0, -1}, 0), 3);
              }).what(),
              HasSubstr("row 1: label is -1"));
  EXPECT_THROW(labels(npy<double>("f.npy", {0.5, 1.0}, 0), 3), Error);
}

TEST_F(VoteMatrix, MatrixIsNoListOfLabels) {
  const Error error = error_of([&] { labels(npy<std::int64_t>("v.npy", {1, 0, 0, 1}, 2), 2); });
  EXPECT_THAT(error.what(), HasSubstr("2 x 2 array; ‹labels› takes one label per example"));
  EXPECT_THAT(error.hint(), HasSubstr("‹votes›"));
  EXPECT_THROW(labels(text("v.csv", "a,b\n1,0\n"), 2), Error);
}

TEST_F(VoteMatrix, HeaderOfANumericTableNamesTheClasses) {
  const VoteTable table = load(text("v.csv", "cat,dog\n3,1\n0,2\n"), 2);
  EXPECT_EQ(table.form, "count matrix");
  EXPECT_THAT(table.classes, ElementsAre("cat", "dog"));
  EXPECT_THAT(table.ids, IsEmpty());
  EXPECT_THAT(table.votes.voted(), ElementsAre(0, 1));
}

TEST_F(VoteMatrix, IdColumnIsNoClass) {
  const VoteTable table = load(text("v.csv", "image_id,cat,dog\nx1,3,1\nx2,0,2\n"), 2);
  EXPECT_THAT(table.ids, ElementsAre("x1", "x2"));
  EXPECT_THAT(table.classes, ElementsAre("cat", "dog"));
  const VoteTable frame = load(text("f.csv", ",cat,dog\n0,3,1\n1,0,2\n"), 2);
  EXPECT_THAT(frame.ids, ElementsAre("0", "1"));
  EXPECT_EQ(frame.votes.classes(), 2u);
}

TEST_F(VoteMatrix, DataFrameWithNumberedColumnsIsRead) {
  const VoteTable table = load(text("v.csv", ",0,1,2\n0,3,1,0\n1,0,2,2\n"), 3);
  EXPECT_THAT(table.ids, ElementsAre("0", "1"));
  EXPECT_EQ(table.form, "count matrix");
  EXPECT_EQ(table.votes.rows(), 2u);
}

TEST_F(VoteMatrix, ClassMayBeCalledLikeAnIdColumn) {
  const VoteTable table = load(text("v.csv", "object,scene\n3,1\n0,2\n"), 2);
  EXPECT_THAT(table.classes, ElementsAre("object", "scene"));
  EXPECT_THAT(table.ids, IsEmpty());
}

TEST_F(VoteMatrix, TableWithoutHeaderTabsAndGzipAreRead) {
  EXPECT_THAT(load(text("v.csv", "3,1\n0,2\n")).votes.voted(), ElementsAre(0, 1));
  EXPECT_THAT(load(text("v.tsv", "a\tb\n3\t1\n0\t2\n")).classes, ElementsAre("a", "b"));
  EXPECT_THAT(load(gzip("v.csv.gz", "a,b\n3,1\n0,2\n")).classes, ElementsAre("a", "b"));
}

TEST_F(VoteMatrix, NumbersWithTheWrongWidthAreNotGuessedAt) {
  const Error error = error_of([&] { load(text("v.csv", "a,b,c\n0,1,1\n1,1,0\n"), 4); });
  EXPECT_THAT(error.what(), HasSubstr("3 columns of numbers (a, b, c) but 4 classes"));
  EXPECT_THAT(error.hint(), HasSubstr("annotator_1"));
  EXPECT_THAT(error.hint(), HasSubstr("one column per class"));
}

TEST_F(VoteMatrix, BlanksMakeColumnsAnnotators) {
  const VoteTable table = load(text("v.csv", "id,ann,bob,cyd\nx,0,1,0\ny,1,,\nz,,2,2\n"), 4);
  EXPECT_EQ(table.form, "wide table (3 annotator columns)");
  EXPECT_EQ(table.annotators, 3u);
  EXPECT_THAT(table.ids, ElementsAre("x", "y", "z"));
  EXPECT_THAT(table.votes.row(0).classes, ElementsAre(0, 1));
  EXPECT_THAT(table.votes.row(0).weights, ElementsAre(2, 1));
  EXPECT_EQ(table.votes.total(1), 1.0);
  EXPECT_EQ(table.votes.share(2, 2), 1.0);
}

TEST_F(VoteMatrix, FloatsAndNanInAWideTableAreLabelsAndBlanks) {
  // What a data frame of integers with gaps looks like after to_csv.
  const VoteTable table = load(text("v.csv", ",a,b\n0,1.0,\n1,0.0,1\n2,NaN,1.0\n"), 3);
  EXPECT_THAT(table.votes.voted(), ElementsAre(1, 0, 1));
  EXPECT_EQ(table.votes.ties(), 1u);
  EXPECT_EQ(table.annotators, 2u);
}

TEST_F(VoteMatrix, NamesMakeColumnsAnnotatorsWhereverTheyAppear) {
  const VoteTable table = load(text("v.csv", "a,b\ncat,dog\ndog,dog\n"), 2);
  EXPECT_THAT(table.classes, ElementsAre("cat", "dog"));
  EXPECT_THAT(table.notes, ElementsAre(HasSubstr("sorted: cat, dog")));
  EXPECT_THAT(table.votes.voted(), ElementsAre(0, 1));
}

TEST_F(VoteMatrix, ColumnsNamedLikeAnnotatorsHoldLabelsEvenWithoutBlanks) {
  const VoteTable table = load(text("v.csv", "scorer_1,scorer_2,scorer_3\n0,1,1\n2,2,2\n"), 3);
  EXPECT_EQ(table.form, "wide table (3 annotator columns)");
  EXPECT_THAT(table.votes.voted(), ElementsAre(1, 2));
}

TEST_F(VoteMatrix, WideLabelsOutOfRangeOrFractionalNameTheLine) {
  EXPECT_THAT(why(text("v.csv", "a,b\n0,\n1,3\n"), 3), HasSubstr("v.csv:3: label '3' is out of"));
  EXPECT_THAT(why(text("v.csv", "a,b\n0,\n1,-1\n"), 3), HasSubstr("v.csv:3: label '-1' is out"));
  EXPECT_THAT(why(text("v.csv", "a,b\n0.5,0.5\n,1\n"), 3), HasSubstr("is not a whole number"));
}

TEST_F(VoteMatrix, WideRowWithoutAnAnswerIsRefused) {
  EXPECT_THAT(why(text("v.csv", "id,a,b\nx,0,1\ny,,\n"), 3), HasSubstr("v.csv:3: row 1: no votes"));
}

TEST_F(VoteMatrix, ColumnOfLabelNamesIsReadWithAndWithoutHeader) {
  const std::vector<std::string> names = {"dog", "cat"};
  EXPECT_THAT(labels(text("a.txt", "cat\ndog\ncat\n"), 2, names).votes.voted(),
              ElementsAre(1, 0, 1));
  EXPECT_THAT(labels(text("b.csv", "label\ncat\ndog\n"), 2, names).votes.voted(),
              ElementsAre(1, 0));
  EXPECT_THAT(labels(text("c.csv", "y\n1\n0\n"), 2).votes.voted(), ElementsAre(1, 0));
  EXPECT_THAT(labels(text("d.csv", "1\n0\n"), 2).votes.voted(), ElementsAre(1, 0));
  EXPECT_EQ(load(text("e.csv", "1\n0\n"), 2).votes.evidence(), Evidence::annotations);
}

TEST_F(VoteMatrix, EmptyFilesAndBareHeadersAreRefused) {
  EXPECT_THROW(load(text("v.csv", "")), Error);
  EXPECT_THROW(load(text("v.csv", "\n\n")), Error);
  EXPECT_THAT(why(text("v.csv", "cat,dog\n")), HasSubstr("no rows"));
  EXPECT_THAT(why(text("v.csv", "task,worker,label\n")), HasSubstr("no annotations"));
  EXPECT_THROW(load(path("missing.csv")), Error);
}

TEST_F(VoteMatrix, GivenNamesOverrideAHeaderOfOtherNames) {
  VoteFile file;
  file.path = text("v.csv", "n_cat,n_dog\n3,1\n");
  file.classes = {"cat", "dog"};
  EXPECT_THAT(load_votes(file).classes, ElementsAre("cat", "dog"));
  // The same names in another order: the header knows which column is which.
  file.classes = {"N_DOG", "n_cat"};
  const VoteTable table = load_votes(file);
  EXPECT_THAT(table.classes, ElementsAre("n_cat", "n_dog"));
  EXPECT_THAT(table.notes, ElementsAre(HasSubstr("the header gives the order")));
}

TEST_F(VoteMatrix, NanOrTextInCountsWithoutAHeaderNamesLineColumnAndValue) {
  EXPECT_THAT(why(text("v.csv", "3,1,0\n2,nan,1\n"), 3),
              AllOf(HasSubstr("v.csv:2"), HasSubstr("column 1"), HasSubstr("nan")));
  EXPECT_THAT(why(text("v.csv", "nan,1,0\n2,0,1\n"), 3),
              AllOf(HasSubstr("v.csv:1"), HasSubstr("column 0"), HasSubstr("nan")));
  EXPECT_THAT(why(text("v.csv", "3,1,0\n2,inf,1\n"), 3),
              AllOf(HasSubstr("v.csv:2"), HasSubstr("column 1"), HasSubstr("inf")));
  EXPECT_THAT(why(text("v.csv", "3,1,0\n2,two,1\n"), 3),
              AllOf(HasSubstr("v.csv:2"), HasSubstr("column 2"), HasSubstr("'two'")));
  EXPECT_THAT(why(text("v.csv", "3,NA,0\n2,0,1\n"), 3),
              AllOf(HasSubstr("v.csv:1"), HasSubstr("column 2"), HasSubstr("'NA'")));
}

TEST_F(VoteMatrix, NanUnderTheNamesOfTheClassesIsNoBlankAnswer) {
  VoteFile file;
  file.path = text("v.csv", "cat,dog,bird\n1,2,0\n2,nan,1\n");
  file.expected_classes = 3;
  file.score_classes = {"dog", "cat", "bird"};
  EXPECT_THAT(error_of([&] { load_votes(file); }).what(),
              AllOf(HasSubstr("v.csv:3"), HasSubstr("column 1"), HasSubstr("nan")));
  file.path = text("v.csv", "cat,dog,bird\n1,2,0\n2,,1\n");
  EXPECT_THAT(error_of([&] { load_votes(file); }).what(),
              AllOf(HasSubstr("v.csv:3"), HasSubstr("'dog'"), HasSubstr("blank")));
}

TEST_F(VoteMatrix, NumbersTakenForLabelsBecauseOfABlankAreTold) {
  const VoteTable table = load(text("v.csv", "a,b,c\n2,1,0\n2,,1\n"), 4);
  EXPECT_THAT(table.form, HasSubstr("wide table"));
  EXPECT_THAT(table.notes, testing::Contains(HasSubstr("read as annotators")));
  EXPECT_THAT(error_of([&] { load(text("v.csv", "a,b,c\n7,1,0\n2,,1\n"), 4); }).hint(),
              HasSubstr("column 2 of line 3"));
}

TEST_F(VoteMatrix, OneBadCellAmongKColumnsDoesNotMakeThemAnnotators) {
  for (const std::string cell : {"O", "", "nan", "-", "l", "?"}) {
    for (const std::string header : {"", "a,b,c\n", "0,1,2\n"}) {
      const std::string file = text("v.csv", header + "1,0,1\n0,1,1\n1," + cell + ",0\n1,1,0\n");
      const Error error = error_of([&] { load(file, 3); });
      const std::string line = header == "" ? "v.csv:3" : "v.csv:4";
      EXPECT_THAT(error.what(), HasSubstr(line)) << header << cell;
      EXPECT_THAT(error.what(), AnyOf(HasSubstr("column 2"), HasSubstr("column 1: vote count is")))
          << header << cell << error.what();
    }
  }
  const Error error = error_of([&] { load(text("v.csv", "a,b,c\n1,0,1\n0,O,1\n"), 3); });
  EXPECT_THAT(error.what(), HasSubstr("v.csv:3: column 2 ('b'): 'O' among numbers"));
  EXPECT_THAT(error.hint(), AllOf(HasSubstr("0 where nobody"), HasSubstr("annotator_1")));
}

TEST_F(VoteMatrix, ColumnsNamedLikeAnnotatorsAndTablesOfNamesAloneMayBeAsManyAsTheClasses) {
  EXPECT_EQ(load(text("v.csv", "rater_1,rater_2,rater_3\n0,1,\n2,2,2\n"), 3).annotators, 3u);
  EXPECT_EQ(load(text("v.csv", "ann,bob,cyd\ncat,dog,\nelk,elk,elk\n"), 3).annotators, 3u);
}

TEST_F(VoteMatrix, NameAmongNumberedLabelsIsNoFurtherClass) {
  EXPECT_THAT(why(text("v.csv", "a,b\n0,1\n1,O\n"), 3),
              AllOf(HasSubstr("v.csv:3: label 'O' is a name"), HasSubstr("'0' is a number")));
  EXPECT_THAT(why(text("v.csv", "task,worker,label\nx,w,0\ny,w,1\nz,w,O\n"), 3),
              HasSubstr("v.csv:4: label 'O' is a name"));
  EXPECT_THAT(why(text("v.csv", "y\n0\n1\nO\n"), 3), HasSubstr("v.csv:4: label 'O' is a name"));
  VoteFile file;
  file.path = text("v.csv", "task,worker,label\nx,w,0\ny,w,other\n");
  file.classes = {"0", "1", "other"};
  EXPECT_THAT(load_votes(file).votes.voted(), ElementsAre(0, 2));
}

TEST_F(VoteMatrix, FirstRowThatMixesNamesWithNumbersIsNoHeader) {
  for (const char* row : {"0,O,1", "1e,0,1", "0x10,2,3", "1 000,2,3", "3,-,1", "x7,6,4,0"}) {
    const std::string what = why(text("v.csv", std::string(row) + "\n1,0,1\n"), 3);
    EXPECT_THAT(what, AllOf(HasSubstr("v.csv:1: column "), HasSubstr("of the first row"))) << row;
  }
}

TEST_F(VoteMatrix, HeaderMayNameClassesByNumbersBesideAnIdOrAGoldLabel) {
  EXPECT_THAT(load(text("v.csv", "id,0,1,2\nx,3,0,1\n"), 3).ids, ElementsAre("x"));
  EXPECT_THAT(load(text("v.csv", "image_id,3,7,9\nx,3,0,1\n"), 3).classes,
              ElementsAre("3", "7", "9"));
  EXPECT_EQ(load(text("v.csv", "uid,label,0,1\nx,0,3,1\n"), 2).votes.classes(), 2u);
  VoteFile file;
  file.path = text("v.csv", "scan no,0,1\nx,3,1\n");
  file.id_field = "scan no";
  EXPECT_THAT(load_votes(file).ids, ElementsAre("x"));
}

TEST_F(VoteMatrix, GoldLabelBesideCountsIsLeftOutWithANote) {
  VoteTable table = load(text("v.csv", "id,label,cat,dog\nx,0,3,1\ny,1,0,4\n"), 2);
  EXPECT_EQ(table.form, "count matrix");
  EXPECT_THAT(table.classes, ElementsAre("cat", "dog"));
  EXPECT_THAT(table.votes.row(0).weights, ElementsAre(3, 1));
  EXPECT_THAT(table.notes, ElementsAre(HasSubstr("label")));
  table = load(text("v.csv", "cat,dog,gold_label\n3,1,cat\n0,4,dog\n"), 2);
  EXPECT_THAT(table.classes, ElementsAre("cat", "dog"));
  EXPECT_EQ(table.form, "count matrix");
}

TEST_F(VoteMatrix, GoldLabelBesideAnnotatorsIsNoVote) {
  const VoteTable table = load(text("v.csv", "id,reader_1,reader_2,label\nx,0,1,0\ny,1,1,0\n"), 2);
  EXPECT_THAT(table.form, HasSubstr("2 annotator columns"));
  EXPECT_THAT(table.votes.row(1).classes, ElementsAre(1));
  EXPECT_THAT(table.notes, ElementsAre(HasSubstr("label")));
}

TEST_F(VoteMatrix, ColumnsBesideThoseOfTheKnownClassesAreLeftOutWithANote) {
  VoteFile file;
  file.path = text("v.csv", "id,source,dog,cat,total\nx,web,3,1,4\ny,web,0,4,4\n");
  file.expected_classes = 2;
  file.score_classes = {"cat", "dog"};
  const VoteTable table = load_votes(file);
  EXPECT_THAT(table.classes, ElementsAre("dog", "cat"));
  EXPECT_THAT(table.notes, ElementsAre(AllOf(HasSubstr("source"), HasSubstr("total"))));
}

TEST_F(VoteMatrix, FirstRowOfColumnNumbersIsTold) {
  EXPECT_THAT(load(text("v.csv", "0,1,2\n3,0,0\n"), 3).notes,
              ElementsAre(HasSubstr("v.csv:1: 0,1,2")));
  EXPECT_THAT(why(text("v.csv", "0,1,2\n0.5,0.5,0\n"), 3), HasSubstr("v.csv:1: 0,1,2"));
}

TEST_F(VoteMatrix, ClassNamesInAnotherEncodingAreRefusedSinceTheModelCouldNotKeepThem) {
  EXPECT_THAT(why(text("v.csv", "caf\xe9,th\xe9\n1,2\n"), 2),
              AllOf(HasSubstr("'caf\\xe9'"), HasSubstr("not UTF-8")));
  EXPECT_THAT(why(text("v.csv", "task,worker,label\n0,w,caf\xe9\n")), HasSubstr("not UTF-8"));
  EXPECT_THAT(load(text("v.csv", "caf\xc3\xa9,tea\n1,2\n"), 2).classes,
              ElementsAre("caf\xc3\xa9", "tea"));
}

TEST_F(VoteMatrix, ManyClassesAndFewVotesStaySmall) {
  std::vector<std::uint8_t> counts(300 * 1000, 0);
  for (std::size_t i = 0; i < 300; ++i) counts[i * 1000 + i] = 5;
  const VoteTable table = load(npy("v.npy", counts, 1000));
  EXPECT_EQ(table.votes.entries(), 300u);
  EXPECT_EQ(table.votes.voted(299), 299u);
}

}  // namespace
}  // namespace credence::io
