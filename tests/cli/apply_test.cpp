// `apply`: formats, pipes, ids, class names, gauges.
#include <gmock/gmock.h>

#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/program.hpp"

namespace credence::cli_test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class Apply : public ProgramTest {
 protected:
  Apply() { fit_model(); }

  /// Writes named.json, a map per class, from named.csv.
  void fit_named(const std::string& vote_classes) const {
    ASSERT_EQ(run({"fit", "-m", "soft-platt", "--logits", "named.csv", "--votes", "votes.csv",
                   "--vote-classes", vote_classes, "-o", "named.json"})
                  .code,
              0);
  }
  std::vector<std::vector<double>> rows_of(const std::string& csv) const {
    std::vector<std::vector<double>> rows;
    std::istringstream lines(csv);
    for (std::string line; std::getline(lines, line);) {
      std::istringstream cells(line);
      std::vector<double> row;
      for (std::string cell; std::getline(cells, cell, ',');)
        row.push_back(std::strtod(cell.c_str(), nullptr));
      rows.push_back(row);
    }
    return rows;
  }
};

TEST_F(Apply, GivesTheSoftmaxOfTheScaledLogits) {
  const Outcome outcome =
      run({"apply", "model.json", "--logits", "logits.npy", "-o", "out.csv", "--dtype", "float64"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const double b =
      json::parse(text_of("model.json"))["stages"][0]["parameters"]["inverse_temperature"];
  auto rows = rows_of(text_of("out.csv"));
  rows.erase(rows.begin());  // the header
  ASSERT_EQ(rows.size(), kLogits.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    double sum = 0.0;
    for (const float z : kLogits[i]) sum += std::exp(b * double{z});
    for (std::size_t k = 0; k < 3; ++k) {
      // Kernels in double with an own exponential: a few units in the last place.
      EXPECT_NEAR(rows[i][k], std::exp(b * double{kLogits[i][k]}) / sum, 1e-14);
    }
  }
}

TEST_F(Apply, WritesTheSameNumbersInEveryFormat) {
  for (const std::string name : {"out.npy", "out.csv", "out.jsonl"}) {
    // In double, since float32 as text is a decimal number near the float32.
    const Outcome outcome =
        run({"apply", "model.json", "--logits", "logits.npy", "-o", name, "--dtype", "float64"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    const Outcome scored =
        run({"evaluate", "--probs", name, "--votes", "votes.csv", "--format", "csv"});
    ASSERT_EQ(scored.code, 0) << scored.err;
    if (name != "out.npy") {
      EXPECT_EQ(scored.out, text_of("scores.csv")) << name;
    }
    write("scores.csv", scored.out);
  }
}

TEST_F(Apply, DtypeChoosesTheBytesOfNpy) {
  ASSERT_EQ(run({"apply", "model.json", "--logits", "logits.npy", "-o", "a.npy"}).code, 0);
  ASSERT_EQ(
      run({"apply", "model.json", "--logits", "logits.npy", "-o", "b.npy", "--dtype", "float64"})
          .code,
      0);
  EXPECT_THAT(text_of("a.npy"), HasSubstr("<f4"));
  EXPECT_THAT(text_of("b.npy"), HasSubstr("<f8"));
}

TEST_F(Apply, ReadsFromAPipeAndWritesToOne) {
  const Outcome pipe = shell("cat logits.csv | credence apply model.json --logits - -o - | cat");
  const Outcome file = run({"apply", "model.json", "--logits", "logits.csv", "-o", "out.csv"});
  ASSERT_EQ(file.code, 0) << file.err;
  EXPECT_EQ(pipe.out, text_of("out.csv"));
  EXPECT_EQ(pipe.err, "");
}

TEST_F(Apply, ChainsWithFitThroughPipes) {
  const Outcome outcome = shell(
      "credence fit -m slts --logits logits.npy --votes votes.csv -o - 2>/dev/null | "
      "credence apply - --logits logits.npy -o - --output-format jsonl | wc -l");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("8"));
}

TEST_F(Apply, AReaderThatHasSeenEnoughIsNoFailure) {
  std::string many;
  for (int i = 0; i < 200000; ++i) many += "3,1,2\n";
  write("many.csv", many);
  const Outcome outcome = shell(
      "{ credence apply model.json --logits many.csv -o -; echo \"code $?\" >&2; } | head -n 1");
  EXPECT_EQ(outcome.err, "code 0\n");
}

TEST_F(Apply, CarriesIdsThrough) {
  write("scores.jsonl",
        "{\"uid\": \"x1\", \"logits\": [1, 2, 3]}\n{\"uid\": \"x2\", \"logits\": [3, 2, 1]}\n");
  const Outcome outcome =
      run({"apply", "model.json", "--logits", "scores.jsonl", "-o", "out.jsonl"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(text_of("out.jsonl"), HasSubstr("\"x1\""));
  EXPECT_THAT(text_of("out.jsonl"), HasSubstr("\"x2\""));
}

TEST_F(Apply, MatchesClassesByNameAndKeepsTheOrderOfTheInput) {
  write("named.csv", "a,b,c\n" + text_of("logits.csv"));
  write("turned.csv", "c,a,b\n0,4,1\n");
  fit_named("a,b,c");
  const Outcome straight = run({"apply", "named.json", "--logits", "named.csv", "-o", "-"});
  const Outcome turned = run({"apply", "named.json", "--logits", "turned.csv", "-o", "-"});
  ASSERT_EQ(turned.code, 0) << turned.err;
  EXPECT_THAT(turned.out, StartsWith("c,a,b\n"));
  const auto expected = rows_of(straight.out)[1], got = rows_of(turned.out)[1];
  EXPECT_EQ(got, (std::vector<double>{expected[2], expected[0], expected[1]}));

  write("others.csv", "a,b,d\n4,1,0\n");
  const Outcome others = run({"apply", "named.json", "--logits", "others.csv", "-o", "-"});
  EXPECT_EQ(others.code, 1);
  EXPECT_THAT(others.err, HasSubstr("classes a, b, c; those of others.csv are a, b, d"));
}

TEST_F(Apply, MatchesClassNamesAsFitDoesIgnoringCase) {
  write("named.csv", "Cat,Dog,Bird\n" + text_of("logits.csv"));
  write("turned.csv", "BIRD,cat,dog\n0,4,1\n");
  fit_named("cat,dog,bird");
  const Outcome straight = run({"apply", "named.json", "--logits", "named.csv", "-o", "-"});
  const Outcome turned = run({"apply", "named.json", "--logits", "turned.csv", "-o", "-"});
  ASSERT_EQ(turned.code, 0) << turned.err;
  const auto expected = rows_of(straight.out)[1], got = rows_of(turned.out)[1];
  EXPECT_EQ(got, (std::vector<double>{expected[2], expected[0], expected[1]}));

  // A list of names does not overrule a header that has the same names in another order.
  const Outcome listed = run(
      {"apply", "named.json", "--logits", "turned.csv", "-o", "-", "--classes", "cat,dog,bird"});
  EXPECT_EQ(listed.out, turned.out);
  EXPECT_THAT(listed.err, HasSubstr("their order is BIRD, cat, dog"));
}

TEST_F(Apply, ColumnNumbersInTheFirstRowAreNeverDroppedInSilence) {
  write("doubt.csv", "0,1,2\n4,1,0\n");
  const Outcome doubt = run({"apply", "model.json", "--logits", "doubt.csv", "-o", "out.csv"});
  EXPECT_EQ(doubt.code, 1);
  EXPECT_THAT(doubt.err, HasSubstr("doubt.csv:1: '0,1,2'"));
  write("frame.csv", "0,1,2\n4.5,1,0\n");
  const Outcome frame = run({"apply", "model.json", "--logits", "frame.csv", "-o", "out.csv"});
  EXPECT_EQ(frame.code, 0) << frame.err;
  EXPECT_THAT(frame.err, HasSubstr("read as a header"));
}

TEST_F(Apply, RawGaugeInsistsOnTheKindItWasFittedTo) {
  ASSERT_EQ(run({"fit", "-m", "vs", "--gauge", "raw", "--logits", "logits.npy", "--votes",
                 "votes.csv", "-o", "raw.json"})
                .code,
            0);
  EXPECT_EQ(run({"apply", "raw.json", "--logits", "logits.npy", "-o", "-"}).code, 0);
  const Outcome outcome = run({"apply", "raw.json", "--probs", "probs.csv", "-o", "-"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("raw logits"));
}

TEST_F(Apply, ErrorsNameTheRowAcrossBlocks) {
  // K = 3 gives blocks of 174,762 rows; the bad one is in the second.
  std::string many;
  for (int i = 0; i < 200000; ++i) many += i == 180001 ? "1,nan,3\n" : "3,1,2\n";
  write("many.csv", many);
  const Outcome outcome = run({"apply", "model.json", "--logits", "many.csv", "-o", "out.npy"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("180001"));
  EXPECT_FALSE(fs::exists(file("out.npy")));
}

TEST_F(Apply, LeavesOutRowsWithoutLookingAtThem) {
  write("bad.csv", "id,a,b,c\nx0,4,1,0\nx1,nan,0,0\nx2,0,5,1\n");
  write("skip.txt", "1\n");
  write("far.txt", "3\n");
  const Outcome outcome =
      run({"apply", "model.json", "--logits", "bad.csv", "-o", "-", "--skip-rows", "skip.txt"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("x0,"));
  EXPECT_THAT(outcome.out, HasSubstr("x2,"));
  EXPECT_THAT(outcome.out, ::testing::Not(HasSubstr("x1")));
  const Outcome far =
      run({"apply", "model.json", "--logits", "logits.csv", "-o", "out.csv", "--rows", "far.txt"});
  EXPECT_EQ(far.code, 0) << far.err;
  write("far.txt", "8\n");
  const Outcome out_of_range = run({"apply", "model.json", "--logits", "logits.csv", "-o",
                                    "other.csv", "--skip-rows", "far.txt"});
  EXPECT_EQ(out_of_range.code, 1);
  EXPECT_THAT(out_of_range.err, HasSubstr("row 8 is out of range"));
  EXPECT_FALSE(fs::exists(file("other.csv")));
}

TEST_F(Apply, ResultDoesNotDependOnThreads) {
  ASSERT_EQ(
      run({"apply", "model.json", "--logits", "logits.npy", "-o", "a.npy", "--threads", "1"}).code,
      0);
  ASSERT_EQ(
      run({"apply", "model.json", "--logits", "logits.npy", "-o", "b.npy", "--threads", "5"}).code,
      0);
  EXPECT_EQ(text_of("a.npy"), text_of("b.npy"));
}

}  // namespace
}  // namespace credence::cli_test
