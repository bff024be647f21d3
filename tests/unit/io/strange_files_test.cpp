// What spreadsheets, other formats and old habits hand us instead of a plain table.
#include "io/scores/score_reader.hpp"
#include "unit/io/files.hpp"

namespace credence::io {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using namespace credence::test;

class StrangeFiles : public ::testing::Test {
 protected:
  std::vector<double> scores(const std::string& name, std::string_view bytes) const {
    const auto reader = open_scores({.path = dir_.write(name, bytes)});
    Matrix<double> block(100, reader->cols());
    const std::size_t rows = reader->read(block.view(), nullptr);
    return {block.data(), block.data() + rows * reader->cols()};
  }
  VoteTable votes(const std::string& name, std::string_view bytes, std::size_t classes = 0) const {
    VoteFile file;
    file.path = dir_.write(name, bytes);
    file.expected_classes = classes;
    return load_votes(file);
  }
  std::string no_scores(const std::string& name, std::string_view bytes) const {
    return caught([&] { scores(name, bytes); }).text;
  }
  std::string no_votes(const std::string& name, std::string_view bytes,
                       std::size_t classes = 0) const {
    return caught([&] { votes(name, bytes, classes); }).text;
  }
  TempDir dir_;
};

TEST_F(StrangeFiles, OtherFormatsAreCalledByTheirNameWhateverTheFileIsCalled) {
  const std::pair<std::string, std::string> formats[] = {
      {"PAR1" + std::string(60, '\0'), "Parquet"},
      {"ARROW1" + std::string(60, '\0'), "Arrow"},
      {"\x89HDF\r\n\x1a\n", "HDF5"},
      {std::string("PK\x03\x04", 4) + std::string(60, '\0'), "zip archive"},
      {"\x80\x04\x95" + std::string(60, '\0'), "pickled"},
      {std::string("1\0,\0"
                   "2\0\n\0",
                   8),
       "UTF-16"},
  };
  for (const auto& [bytes, name] : formats) {
    for (const auto* file : {"a.csv", "a.jsonl", "a.data"}) {
      EXPECT_THAT(no_scores(file, bytes), AllOf(HasSubstr(file), HasSubstr(name)));
      EXPECT_THAT(no_votes(file, bytes), AllOf(HasSubstr(file), HasSubstr(name)));
    }
  }
}

TEST_F(StrangeFiles, ArraysAreKnownByTheirFirstBytesAlsoPackedOrUnderAnotherName) {
  const std::string array = npy("<f4", "(2, 2)", raw({1.f, 2.f, 3.f, 4.f}));
  for (const auto* name : {"a.csv", "a", "a.npy"}) {
    EXPECT_THAT(scores(name, array), ElementsAre(1, 2, 3, 4)) << name;
    EXPECT_THAT(scores(name, gzip(array)), ElementsAre(1, 2, 3, 4)) << name;
    EXPECT_EQ(votes(name, array).form, "count matrix") << name;
    EXPECT_EQ(votes(name, gzip(array)).form, "count matrix") << name;
  }
}

TEST_F(StrangeFiles, ExcelNamesItsDelimiterInALineOfItsOwn) {
  EXPECT_THAT(scores("a.csv", "sep=;\ncat;dog\n1.5;2\n"), ElementsAre(1.5, 2));
  EXPECT_THAT(votes("a.csv", "SEP=;\r\ncat;dog\r\n1;2\r\n").classes, ElementsAre("cat", "dog"));
}

TEST_F(StrangeFiles, DecimalCommasAndThousandsAreExplained) {
  for (const auto* text : {"1,5;2,25\n3,5;4\n", "a;b\n1,5;2\n", "a,b\n\"1,234.5\",2\n"}) {
    EXPECT_THAT(no_scores("a.csv", text),
                AllOf(HasSubstr("is not a number"), HasSubstr("decimals with a point")))
        << text;
  }
  // Counts with a separator are not names of classes.
  EXPECT_THAT(no_votes("v.csv", "a,b\n1,2\n\"1,000\",2\n", 2),
              AllOf(HasSubstr("v.csv:3: column 1"), HasSubstr("'1,000'"), HasSubstr("thousands")));
  EXPECT_THAT(no_votes("v.csv", "a,b\n20%,80%\n", 2), HasSubstr("'20%' is not a number"));
}

TEST_F(StrangeFiles, CellsSeparatedBySpacesAreNeitherOneScoreNorOneLabel) {
  EXPECT_THAT(no_scores("a.txt", "1.5e+00 -2.0 3\n1 2 3\n"),
              AllOf(HasSubstr("a.txt:1"), HasSubstr("separated by spaces"), HasSubstr("savetxt")));
  EXPECT_THAT(no_votes("v.txt", "3 1 0\n0 4 0\n"), HasSubstr("separated by spaces"));
  EXPECT_EQ(votes("v.txt", "grade 3\ngrade 4\n").votes.rows(), 2U);
}

TEST_F(StrangeFiles, DelimiterAtTheEndOfLinesIsNoClass) {
  EXPECT_THAT(no_scores("a.csv", "1,2,\n3,4,\n"), HasSubstr("lines end in the delimiter"));
  EXPECT_THAT(no_votes("v.csv", "1,2,\n3,4,\n", 2), HasSubstr("lines end in the delimiter"));
}

TEST_F(StrangeFiles, LinesThatEndInCarriageReturnsAloneAreRefused) {
  EXPECT_THAT(no_scores("a.csv", "1,2\r3,4\r"), HasSubstr("CR alone"));
  EXPECT_THAT(no_votes("v.csv", "a,b\r3,4\r"), HasSubstr("CR alone"));
}

TEST_F(StrangeFiles, LabelsInTheFirstLineOfAWideTableAreNotLostAsAHeader) {
  EXPECT_THAT(no_votes("v.csv", "cat,dog,\ndog,dog,cat\n"),
              AllOf(HasSubstr("first line holds labels"), HasSubstr("annotator_1")));
}

TEST_F(StrangeFiles, ClassNamedTwiceInAHeaderIsTheFaultOfTheData) {
  const Caught twice = caught([&] { votes("v.csv", "cat,Cat,dog\n1,2,3\n"); });
  EXPECT_EQ(twice.code, ErrorCode::data);
  EXPECT_THAT(twice.text, AllOf(HasSubstr("'Cat' is there twice"), HasSubstr("name of its own")));
}

TEST_F(StrangeFiles, FirstRowOfScoresThatMixesTextWithNumbersIsNotLostAsAHeader) {
  for (const char* row :
       {"1.5,-,0.3", "1.5,1e,0.3", "1.5,0x10,0.3", "1.5,1 000,0.3", "a7,1.5,-,0.3", "1.5,2.0,x"}) {
    const std::string what = no_scores("s.csv", std::string(row) + "\n0.1,0.2,0.3\n");
    EXPECT_THAT(what, AllOf(HasSubstr("s.csv:1: column "), HasSubstr("of the first row"))) << row;
  }
  EXPECT_THAT(no_scores("s.csv", "1.5,-,0.3\n1,2,3\n"),
              AllOf(HasSubstr("column 2: '-' is not a number"), HasSubstr("id,0,1,2")));
  EXPECT_THAT(no_scores("s.csv", "cat,dog,7\n1,2,3\n"), HasSubstr("column 3: '7' is a number"));
  EXPECT_THAT(no_scores("s.csv", "id,0.5,0.5\na,2.5,3\n"), HasSubstr("of the first row"));
}

TEST_F(StrangeFiles, FirstScoreThatIsNoNumberMakesNoColumnOfIds) {
  for (const char* cell : {"1e", "0x10", "1 000", "-"}) {
    const std::string what =
        no_scores("s.csv", std::string(cell) + ",0.2,0.3\n1.5,0.2,0.3\n0.1,0.2,0.3\n");
    EXPECT_THAT(what, AllOf(HasSubstr("s.csv:1: column 1: '" + std::string(cell)),
                            HasSubstr("ids or scores")))
        << cell;
  }
  EXPECT_THAT(scores("s.csv", "a7,1,2\nb2,3,4\n"), ElementsAre(1, 2, 3, 4));
}

TEST_F(StrangeFiles, HeaderOfScoresMayNumberItsClasses) {
  for (const char* header : {"id,0,1,2", ",0,1,2", "image_id,3,7,9", "name,0,1,other"}) {
    EXPECT_THAT(scores("s.csv", std::string(header) + "\nx,1.5,2.5,3.5\n"),
                ElementsAre(1.5, 2.5, 3.5))
        << header;
  }
}

TEST_F(StrangeFiles, OneLabelInTheFirstLineIsEnoughToDoubtAHeader) {
  EXPECT_THAT(no_votes("v.csv", "cat,zebra,dog\ncat,dog,dog\ndog,cat,cat\n", 4),
              HasSubstr("the first line holds labels"));
}

}  // namespace
}  // namespace credence::io
