// Every verb on files that are as they should be.
#include <gmock/gmock.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/program.hpp"

namespace credence::cli_test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

class Verbs : public ProgramTest {
 protected:
  const std::vector<std::string> data_{"--logits", "logits.npy", "--votes", "votes.csv"};

  /// The arguments followed by the data files.
  std::vector<std::string> with_data(std::vector<std::string> arguments) const {
    arguments.insert(arguments.end(), data_.begin(), data_.end());
    return arguments;
  }
};

TEST_F(Verbs, InspectSaysWhatWasUnderstood) {
  const Outcome outcome = run(with_data({"inspect", "--format", "json"}));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const json found = json::parse(outcome.out);
  EXPECT_EQ(found["rows"], 8);
  EXPECT_EQ(found["classes"], 3);
  EXPECT_EQ(found["evidence"], "distributions");
  EXPECT_EQ(found["votes"]["ties"], 1);
  EXPECT_EQ(found["votes"]["unanimous"], 1);
  EXPECT_EQ(found["votes"]["per_example"]["mean"], 10.0);
  EXPECT_EQ(found["accuracy"], 0.875);  // all but the fifth, where class 1 beats class 0
  EXPECT_EQ(found["votes"]["voted"], json({4, 2, 2}));
  EXPECT_EQ(found["join"]["by"], "row");
  EXPECT_EQ(found["problem_rows"].size(), 1U);  // the tie in row 1
  EXPECT_THAT(std::string(found["problem_rows"][0]), HasSubstr("row 1"));
}

TEST_F(Verbs, FitOfDrawnAnnotationsDoesNotDependOnTheOrderOfExamplesWithIds) {
  // Four votes each, which lean to the side of the score but never agree: every draw is open.
  std::vector<std::string> scores, votes;
  for (int i = 0; i < 60; ++i) {
    const std::string id = "e" + std::to_string(i * 37 % 101);
    scores.push_back(id + "," + std::to_string(i % 7 - 3) + ",0\n");
    votes.push_back(id + (i % 7 > 3 ? ",3,1\n" : i % 7 < 3 ? ",1,3\n" : ",2,2\n"));
  }
  std::string in_order = "id,cat,dog\n", reversed = in_order, counts = in_order;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    in_order += scores[i];
    reversed += scores[scores.size() - 1 - i];
    counts += votes[i];
  }
  write("in-order.csv", in_order);
  write("reversed.csv", reversed);
  write("counts.csv", counts);
  std::vector<double> inverse;
  for (const char* file : {"in-order.csv", "reversed.csv"}) {
    const std::string fitted = std::string(file) + ".json";
    const Outcome outcome =
        run({"fit", "--method", "mcts", "--logits", file, "--votes", "counts.csv", "-o", fitted});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const json stage = json::parse(text_of(fitted))["stages"][0];
    EXPECT_EQ(stage["report"]["stop"], "converged");
    inverse.push_back(stage["parameters"]["inverse_temperature"]);
  }
  // The same terms added in another order: equal but for rounding.
  EXPECT_NEAR(inverse[0], inverse[1], 1e-9 * std::abs(inverse[0]));
}

TEST_F(Verbs, InspectTextHasTheSameFacts) {
  const Outcome outcome = run(with_data({"inspect"}));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  for (const char* fact : {"examples              8\n", "0.8750 against the majority label",
                           "Class balance", "distributions", "10 (from 10 to 10)"}) {
    EXPECT_THAT(outcome.out, HasSubstr(fact));
  }
}

TEST_F(Verbs, InspectTakesScoresOrVotesAlone) {
  const Outcome scores = run({"inspect", "--logits", "logits.npy", "--format", "json"});
  ASSERT_EQ(scores.code, 0) << scores.err;
  EXPECT_EQ(json::parse(scores.out)["evidence"], "none");
  EXPECT_EQ(json::parse(scores.out)["votes"], nullptr);
  const Outcome votes = run({"inspect", "--votes", "votes.csv", "--format", "json"});
  ASSERT_EQ(votes.code, 0) << votes.err;
  EXPECT_EQ(json::parse(votes.out)["scores"], nullptr);
  EXPECT_EQ(json::parse(votes.out)["rows"], 8);
  EXPECT_EQ(run({"inspect", "--logits", "logits.npy"}).code, 0);
  EXPECT_EQ(run({"inspect", "--votes", "votes.csv"}).code, 0);
}

TEST_F(Verbs, InspectListsSeveralBadRowsAtOnce) {
  write("bad.csv", "3,1,2\nnan,0,0\n3,1,2\n0,inf,0\n");
  const Outcome outcome = run({"inspect", "--logits", "bad.csv"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.out, HasSubstr("row 1"));
  EXPECT_THAT(outcome.out, HasSubstr("row 3"));
}

TEST_F(Verbs, FitWritesAModelAndSaysHowItEnded) {
  const Outcome outcome = run(with_data({"fit", "-m", "slts", "-o", "m.json", "--format", "json"}));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const json summary = json::parse(outcome.out);
  EXPECT_EQ(summary["method"], "slts");
  EXPECT_EQ(summary["rows"], 8);
  EXPECT_EQ(summary["stages"][0]["stop"], "converged");
  EXPECT_GT(summary["stages"][0]["temperature"], 0.0);
  const json model = json::parse(text_of("m.json"));
  EXPECT_EQ(model["method"], "slts");
  const Outcome text = run(with_data({"fit", "-m", "slts", "-o", "m.json"}));
  EXPECT_THAT(text.out, HasSubstr("T = "));
  EXPECT_THAT(text.out, HasSubstr("converged after"));
}

TEST_F(Verbs, FitSendsTheModelDownAPipeAndTheSummaryElsewhere) {
  const Outcome file = run(with_data({"fit", "-m", "slts", "-o", "m.json"}));
  ASSERT_EQ(file.code, 0) << file.err;
  const Outcome pipe = run(with_data({"fit", "-m", "slts", "-o", "-"}));
  ASSERT_EQ(pipe.code, 0) << pipe.err;
  EXPECT_EQ(pipe.out, text_of("m.json"));
  EXPECT_THAT(pipe.err, HasSubstr("slts: 8 examples"));
}

TEST_F(Verbs, FitTakesEveryKindOfMethodName) {
  for (const std::string method : {"dirichlet-soft then ts", "annotators+histogram", "ts", "ls-ts",
                                   "ir-soft", "ats", "mcts", "uncalibrated"}) {
    const Outcome outcome = run(with_data({"fit", "-m", method, "-o", "m.json"}));
    EXPECT_EQ(outcome.code, 0) << method << ": " << outcome.err;
    EXPECT_EQ(json::parse(text_of("m.json"))["method"], method);
  }
}

TEST_F(Verbs, FitTakesVotedLabelsAlone) {
  const Outcome outcome =
      run({"fit", "-m", "ls-ts", "--logits", "logits.csv", "--labels", "labels.csv", "-o", "m"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
}

TEST_F(Verbs, ModelBytesDoNotDependOnThreadsChunksOrPaths) {
  ASSERT_EQ(run(with_data({"fit", "-m", "slts", "-o", "a.json", "--threads", "1"})).code, 0);
  ASSERT_EQ(run(with_data({"fit", "-m", "slts", "-o", "b.json", "--threads", "7", "--chunk-rows",
                           "3000"}))
                .code,
            0);
  fs::create_directory(file("elsewhere"));
  const Outcome elsewhere =
      cli_test::run(file("elsewhere"), {"fit", "-m", "slts", "--logits", "../logits.csv", "--votes",
                                        "../votes.csv", "-o", "../c.json"});
  ASSERT_EQ(elsewhere.code, 0) << elsewhere.err;
  EXPECT_EQ(text_of("a.json"), text_of("b.json"));
  EXPECT_EQ(text_of("a.json"), text_of("c.json"));
}

TEST_F(Verbs, FitOptionsReachTheMethod) {
  const auto fitted = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "fit");
    arguments.insert(arguments.end(), {"-o", "m.json"});
    const Outcome outcome = run(with_data(arguments));
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return json::parse(text_of("m.json"));
  };
  EXPECT_NE(fitted({"-m", "fixed-ls"}), fitted({"-m", "fixed-ls", "--epsilon", "0.3"}));
  EXPECT_NE(fitted({"-m", "mcts"}), fitted({"-m", "mcts", "--draws", "50"}));
  EXPECT_NE(fitted({"-m", "mcts"}), fitted({"-m", "mcts", "--seed", "1"}));
  EXPECT_NE(fitted({"-m", "dirichlet-soft"}), fitted({"-m", "dirichlet-soft", "--lambda", "1"}));
  EXPECT_NE(fitted({"-m", "hist-bin"}), fitted({"-m", "hist-bin", "--bins", "3"}));
  EXPECT_NE(fitted({"-m", "soft-platt"}), fitted({"-m", "soft-platt", "--gauge", "raw"}));
}

TEST_F(Verbs, EvaluateGivesMetricsWithTheirProtocol) {
  fit_model();
  const Outcome outcome = run(with_data({"evaluate", "model.json", "--format", "json"}));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const json scores = json::parse(outcome.out);
  EXPECT_EQ(scores["method"], "slts");
  EXPECT_EQ(scores["metrics"]["accuracy"], 0.875);
  EXPECT_EQ(scores["protocol"]["bins"], 15);
  EXPECT_EQ(scores["protocol"]["rows"], 8);
  EXPECT_EQ(scores["protocol"]["votes_per_example"], 10.0);
  EXPECT_EQ(scores["protocol"]["fingerprint"], scores["protocol"]["fitted_fingerprint"]);
  EXPECT_EQ(scores["reliability"].size(), 15U);
  EXPECT_THAT(outcome.err, HasSubstr("rows the calibrator was fitted on"));
}

TEST_F(Verbs, EvaluateScoresProbabilitiesAsTheyAre) {
  const Outcome outcome =
      run({"evaluate", "--probs", "probs.csv", "--votes", "votes.csv", "--format", "json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const json scores = json::parse(outcome.out);
  EXPECT_EQ(scores["method"], "as given");
  // mean |p - pi|^2 by hand, in hundredths squared, over the eight rows.
  const double brier = (0.02 + 0.14 + 0.0150 + 0.02 + 0.02 + 0.0006 + 0.0 + 0.02) / 8.0;
  EXPECT_NEAR(scores["metrics"]["brier"], brier, 1e-12);  // decimal fractions in double
}

TEST_F(Verbs, EvaluateWithoutAModelScoresTheSoftmax) {
  const Outcome outcome = run(with_data({"evaluate", "--format", "json"}));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const json scores = json::parse(outcome.out);
  EXPECT_EQ(scores["method"], "uncalibrated");
  ASSERT_EQ(run(with_data({"fit", "-m", "uncalibrated", "-o", "u.json"})).code, 0);
  const Outcome model = run(with_data({"evaluate", "u.json", "--format", "json"}));
  EXPECT_EQ(json::parse(model.out)["metrics"], scores["metrics"]);
}

TEST_F(Verbs, EvaluatePrintsADashAndTheReasonForWhatCannotBeKnown) {
  const Outcome outcome =
      run({"evaluate", "--logits", "logits.npy", "--labels", "labels.csv", "--reliability"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("majority labels do not tell how annotators differ"));
  EXPECT_THAT(outcome.out, HasSubstr("Reliability"));
}

TEST_F(Verbs, EvaluateCsvIsATable) {
  const Outcome outcome = run(with_data({"evaluate", "--format", "csv"}));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out,
              ::testing::StartsWith("metric,value,standard_error,low,high,monte_carlo_error,better,"
                                    "meaning\naccuracy,0.875,"));
}

TEST_F(Verbs, RowsAndSkipRowsAreComplements) {
  write("first.txt", "0\n1\n2\n3\n");
  write("last.txt", "4\n5\n6\n7\n");
  const Outcome rows = run(with_data({"evaluate", "--format", "json", "--rows", "last.txt"}));
  const Outcome skip = run(with_data({"evaluate", "--format", "json", "--skip-rows", "first.txt"}));
  ASSERT_EQ(rows.code, 0) << rows.err;
  EXPECT_EQ(rows.out, skip.out);
}

TEST_F(Verbs, NotesGoToStandardError) {
  write("named.csv", "a,b,c\n" + text_of("votes.csv"));
  const Outcome outcome =
      run({"inspect", "--logits", "logits.npy", "--votes", "named.csv", "--format", "json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("note: "));
  EXPECT_NO_THROW(json::parse(outcome.out));
}

}  // namespace
}  // namespace credence::cli_test
