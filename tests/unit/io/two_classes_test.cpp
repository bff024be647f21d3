// One column of scores for two classes, from every format and through every door.
#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "credence/aligned_calibrator.hpp"
#include "unit/io/join_files.hpp"

namespace credence::io {
namespace {

using testing::Contains;
using testing::DoubleEq;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class OneColumn : public Join {
 protected:
  std::vector<std::vector<double>> rows(const std::string& file_path, ScoreKind kind) {
    ScoreFile file;
    file.path = file_path;
    file.kind = kind;
    const auto reader = open_scores(file);
    EXPECT_EQ(reader->cols(), 2u);
    EXPECT_THAT(reader->notes(), Contains(HasSubstr("one column of scores")));
    Matrix<double> block(2, 2);
    std::vector<std::vector<double>> all;
    while (const std::size_t count = reader->read(block.view(), nullptr)) {
      for (std::size_t i = 0; i < count; ++i) all.push_back({block(i, 0), block(i, 1)});
    }
    return all;
  }
  void votes_of_two() { files_.votes = text("v.csv", "ham,spam\n3,1\n0,4\n2,2\n"); }
};

TEST_F(OneColumn, ProbabilityBecomesThatOfTheSecondClassFromEveryFormat) {
  const auto wanted =
      ElementsAre(ElementsAre(0.75, 0.25), ElementsAre(0.5, 0.5), ElementsAre(0.0, 1.0));
  const ScoreKind kind = ScoreKind::probs;
  EXPECT_THAT(rows(npy<double>("a.npy", {0.25, 0.5, 1}, 0), kind), wanted);
  EXPECT_THAT(rows(npy<float>("b.npy", {0.25f, 0.5f, 1}, 1), kind), wanted);
  EXPECT_THAT(rows(text("c.csv", "0.25\n0.5\n1\n"), kind), wanted);
  EXPECT_THAT(rows(text("d.csv", "p\n0.25\n0.5\n1\n"), kind), wanted);
  EXPECT_THAT(rows(text("e.csv", "id,p\nx,0.25\ny,0.5\nz,1\n"), kind), wanted);
  EXPECT_THAT(rows(text("f.csv", ",p\n0,0.25\n1,0.5\n2,1\n"), kind), wanted);
  EXPECT_THAT(rows(text("g.jsonl", "{\"prob\": 0.25}\n{\"prob\": 0.5}\n{\"prob\": 1}\n"), kind),
              wanted);
  EXPECT_THAT(
      rows(text("h.jsonl", "{\"probs\": [0.25]}\n{\"probs\": [0.5]}\n{\"probs\": [1]}\n"), kind),
      wanted);
  EXPECT_THAT(rows(gzip("i.csv.gz", "0.25\n0.5\n1\n"), kind), wanted);
}

TEST_F(OneColumn, LogitsThatLookLikeProbabilitiesAreTold) {
  votes_of_two();
  scores(npy<float>("s.npy", {0.2f, 0.9f, 1}, 0));
  EXPECT_THAT(load().join.notes, Contains(HasSubstr("look like probabilities")));
  scores(npy<float>("t.npy", {0.2f, -0.9f, 1}, 0));
  EXPECT_THAT(load().join.notes, Not(Contains(HasSubstr("look like probabilities"))));
}

TEST_F(OneColumn, LogitStandsAgainstZero) {
  EXPECT_THAT(rows(npy<float>("z.npy", {-2, 0, 3}, 0), ScoreKind::logits),
              ElementsAre(ElementsAre(0, -2), ElementsAre(0, 0), ElementsAre(0, 3)));
}

TEST_F(OneColumn, LogProbabilityOfTheOtherClassIsExactAtBothEnds) {
  const double tiny = -1e-12, far = -50.0;
  const auto found =
      rows(npy<double>("l.npy", {tiny, far, std::log(0.5)}, 0), ScoreKind::log_probs);
  // log(1 - exp(-t)) = log(t) - t/2 + ..., and log(1 - e) = -e - ...: series as another way.
  EXPECT_THAT(found[0][0], DoubleEq(std::log(1e-12) - 0.5e-12));
  EXPECT_THAT(found[1][0], DoubleEq(-std::exp(far)));
  EXPECT_NEAR(found[2][0], std::log(0.5), 1e-15);  // a few roundings of values near 1
  const auto sure = rows(npy<double>("s.npy", {0.0}, 0), ScoreKind::log_probs);
  EXPECT_EQ(sure[0][0], -std::numeric_limits<double>::infinity());
}

TEST_F(OneColumn, TheThreeKindsOfOneModelGiveTheSameScores) {
  const std::vector<double> logits{-3.0, 0.25, 7.0};
  std::vector<double> probs, logs;
  for (const double z : logits) {
    probs.push_back(1.0 / (1.0 + std::exp(-z)));
    logs.push_back(-std::log1p(std::exp(-z)));
  }
  votes_of_two();
  std::vector<double> gaps[3];
  const std::pair<std::vector<double>, ScoreKind> kinds[] = {
      {logits, ScoreKind::logits}, {logs, ScoreKind::log_probs}, {probs, ScoreKind::probs}};
  for (std::size_t k = 0; k < 3; ++k) {
    scores(npy<double>("s.npy", kinds[k].first, 1), kinds[k].second);
    const LoadedDataset loaded = load();
    EXPECT_THAT(loaded.data.classes, ElementsAre("ham", "spam"));
    for (std::size_t i = 0; i < 3; ++i) {
      gaps[k].push_back(double{loaded.data.scores(i, 1)} - double{loaded.data.scores(i, 0)});
    }
  }
  for (std::size_t i = 0; i < 3; ++i) {
    // Scores are stored as float32: 24 bits of numbers up to 7.
    EXPECT_NEAR(gaps[1][i], gaps[0][i], 2e-6);
    EXPECT_NEAR(gaps[2][i], gaps[0][i], 2e-6);
  }
}

TEST_F(OneColumn, ArraysInMemoryAreReadTheSameWay) {
  const std::vector<float> values{-2, 0, 3};
  auto given = std::make_shared<Given>();
  NumberArray array;
  array.type = NumberType::f32;
  array.data = reinterpret_cast<const std::byte*>(values.data());
  array.rows = 3;
  array.row_stride = array.column_stride = sizeof(float);
  array.is_vector = true;
  given->array = array;
  files_.scores.path = "scores";
  files_.scores.given = given;
  votes_of_two();
  const LoadedDataset loaded = load();
  EXPECT_THAT(loaded.data.scores.row(2), ElementsAre(0, 3));
  EXPECT_THAT(loaded.join.notes, Contains(HasSubstr("scores has one column of scores")));
}

TEST_F(OneColumn, NameOfAClassSaysWhichOneItIs) {
  scores(text("s.csv", "ham\n0.9\n0.2\n0.5\n"), ScoreKind::probs);
  votes_of_two();
  const LoadedDataset loaded = load(true);
  EXPECT_THAT(loaded.data.classes, ElementsAre("spam", "ham"));
  EXPECT_THAT(loaded.probabilities.row(0), ElementsAre(DoubleEq(0.1), 0.9));
  EXPECT_THAT(loaded.data.votes.row(0).weights, ElementsAre(1, 3));  // spam first now
  EXPECT_THAT(loaded.join.notes, Contains(HasSubstr("is named 'ham'")));
  files_.votes = text("w.csv", "3,1\n0,4\n2,2\n");
  files_.classes = {"ham", "spam"};
  EXPECT_THAT(load().data.classes, ElementsAre("spam", "ham"));
}

TEST_F(OneColumn, OtherNumbersOfClassesAreRefusedWithTheWayOut) {
  scores(npy<float>("s.npy", {1, 2, 3}, 0));
  files_.votes = npy<std::int64_t>("v.npy", {3, 0, 1, 0, 2, 1, 1, 0, 4}, 3);
  EXPECT_THAT(why(), HasSubstr("has scores for 2 classes but"));
  EXPECT_THAT(way_out(), HasSubstr("one column of scores"));
  EXPECT_THAT(way_out(), HasSubstr("one column per class"));
  files_.votes = text("v.csv", "task,worker,label\n0,a,0\n1,a,2\n2,a,1\n");
  EXPECT_THAT(why(), HasSubstr("label '2' is out of range"));
  EXPECT_THAT(way_out(), HasSubstr("one column per class"));
  files_.votes = text("v.csv", "task,worker,label\n0,a,x\n1,a,y\n2,a,z\n");
  EXPECT_THAT(why(), HasSubstr("votes for 3 (x, y, z)"));
}

TEST_F(OneColumn, BadValuesNameRowAndValueAndCanBeSkipped) {
  votes_of_two();
  scores(npy<double>("p.npy", {0.5, 1.3, 0.1}, 0), ScoreKind::probs);
  EXPECT_THAT(why(), HasSubstr("row 1, column 1: probability is 1.3"));
  files_.skip_rows = text("skip.txt", "1\n");
  EXPECT_EQ(load().data.rows(), 2u);
  files_.skip_rows.clear();
  scores(npy<double>("n.npy", {0.5, std::nan(""), 0.1}, 0), ScoreKind::probs);
  EXPECT_THAT(why(), HasSubstr("row 1, column 1: probability is nan"));
  scores(npy<double>("l.npy", {-0.5, 0.7, -0.1}, 0), ScoreKind::log_probs);
  EXPECT_THAT(why(), HasSubstr("row 1: log-probability is 0.7; it cannot be above 0"));
  EXPECT_THAT(way_out(), HasSubstr("‹logits›"));
  scores(npy<double>("i.npy", {1, std::numeric_limits<double>::infinity(), 2}, 0));
  EXPECT_THAT(why(), HasSubstr("row 1, column 1: logit is inf"));
}

TEST_F(OneColumn, CalibratorOfTwoClassesTakesTheNameOfTheColumn) {
  LoadedCalibrator loaded;
  loaded.calibrator.class_count = 2;
  loaded.calibrator.classes = {"ham", "spam"};
  const AlignedCalibrator second(loaded, "m.json", 2, {"spam"}, ScoreKind::logits, "s.csv");
  EXPECT_EQ(second.matched(), "in the same order");
  const AlignedCalibrator first(loaded, "m.json", 2, {"ham"}, ScoreKind::logits, "s.csv");
  EXPECT_EQ(first.matched(), "by name");
  EXPECT_THAT(first.output_classes(), ElementsAre("spam", "ham"));
  const AlignedCalibrator other(loaded, "m.json", 2, {"score"}, ScoreKind::logits, "s.csv");
  EXPECT_EQ(other.matched(), "assumed");
  loaded.calibrator.class_count = 3;
  const Error error = test::error_of(
      [&] { AlignedCalibrator(loaded, "m.json", 2, {}, ScoreKind::logits, "s.csv"); });
  EXPECT_THAT(error.what(), HasSubstr("fitted for 3 classes, s.csv has scores for 2"));
  EXPECT_THAT(error.hint(), HasSubstr("one column"));
}

}  // namespace
}  // namespace credence::io
