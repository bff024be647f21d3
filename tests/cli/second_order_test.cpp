// `fit --second-order`, and what `apply`, `evaluate` and `compare` make of it.
#include <gmock/gmock.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/program.hpp"

namespace credence::cli_test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

class SecondOrderCommand : public ProgramTest {
 protected:
  Outcome fit_sure(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words{"fit",     "-m",        "slts", "--logits", "logits.npy",
                                   "--votes", "votes.csv", "-o",   "sure.json"};
    words.push_back("--second-order");
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  }
};

TEST_F(SecondOrderCommand, FitSaysAndStoresWhatItFound) {
  const Outcome outcome = fit_sure();
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("second order, 8 examples with two votes or more"));
  const json model = json::parse(text_of("sure.json"));
  EXPECT_EQ(model["version"], 2);
  EXPECT_EQ(model["second_order"]["rows"], 8);
  EXPECT_EQ(model["second_order"]["concentration"]["report"]["stop"], "converged");
  // The calibrator itself is the one without.
  fit_model();
  json without = json::parse(text_of("model.json"));
  EXPECT_EQ(model["stages"], without["stages"]);
  EXPECT_FALSE(without.contains("second_order"));
}

TEST_F(SecondOrderCommand, TheFileDoesNotDependOnThreadsOrMemory) {
  ASSERT_EQ(fit_sure({"--threads", "1"}).code, 0);
  const std::string one = text_of("sure.json");
  ASSERT_EQ(fit_sure({"--threads", "7"}).code, 0);
  EXPECT_EQ(text_of("sure.json"), one);
  const Outcome passes = fit_sure({"--memory", "1M"});
  ASSERT_EQ(passes.code, 0) << passes.err;
  EXPECT_EQ(text_of("sure.json"), one);
}

TEST_F(SecondOrderCommand, ApplyAddsColumnsToEveryFormat) {
  ASSERT_EQ(fit_sure().code, 0);
  const Outcome csv = run({"apply", "sure.json", "--logits", "logits.csv", "--second-order", "-o",
                           "-", "--output-format", "csv"});
  ASSERT_EQ(csv.code, 0) << csv.err;
  const std::string header = csv.out.substr(0, csv.out.find('\n'));
  EXPECT_TRUE(header.ends_with(",concentration,disagreement")) << header;

  const Outcome lines = run({"apply", "sure.json", "--logits", "logits.npy", "--second-order", "-o",
                             "-", "--output-format", "jsonl", "--next-votes", "5"});
  ASSERT_EQ(lines.code, 0) << lines.err;
  const json row = json::parse(lines.out.substr(0, lines.out.find('\n')));
  EXPECT_EQ(row["probs"].size(), 3U);
  EXPECT_GT(row["concentration"], 0.0);
  EXPECT_GT(row["disagreement"], 0.0);
  EXPECT_LT(row["disagreement"], 1.0);
  EXPECT_LE(row["low_p0"], row["high_p0"]);

  const Outcome npy =
      run({"apply", "sure.json", "--logits", "logits.npy", "--second-order", "-o", "out.npy"});
  ASSERT_EQ(npy.code, 0) << npy.err;
  EXPECT_THAT(text_of("out.npy"), HasSubstr("'shape': (8, 5)"));
  EXPECT_THAT(npy.err, HasSubstr("concentration and disagreement"));
}

TEST_F(SecondOrderCommand, ConcentrationFollowsTheLineInTheFile) {
  ASSERT_EQ(fit_sure().code, 0);
  const json line = json::parse(text_of("sure.json"))["second_order"]["concentration"];
  const Outcome lines = run({"apply", "sure.json", "--logits", "logits.npy", "--second-order", "-o",
                             "-", "--output-format", "jsonl", "--dtype", "float64"});
  std::istringstream rows(lines.out);
  std::size_t seen = 0;
  for (std::string text; std::getline(rows, text); ++seen) {
    const json row = json::parse(text);
    double squares = 0.0;
    for (const double p : row["probs"]) squares += p * p;
    const double expected = std::exp(line["intercept"].get<double>() +
                                     line["slope"].get<double>() * std::log(1.0 - squares));
    EXPECT_NEAR(row["concentration"].get<double>() / expected, 1.0, 1e-12);
  }
  EXPECT_EQ(seen, 8U);
}

TEST_F(SecondOrderCommand, EvaluateScoresIt) {
  ASSERT_EQ(fit_sure().code, 0);
  const Outcome outcome = run({"evaluate", "sure.json", "--logits", "logits.npy", "--votes",
                               "votes.csv", "--format", "json", "--resamples", "0"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const json found = json::parse(outcome.out);
  // On the rows that it was fitted to, the score is the one that the fit reported.
  const json fitted = json::parse(text_of("sure.json"))["second_order"];
  EXPECT_NEAR(found["metrics"]["dm_nll"].get<double>(), fitted["dm_nll"].get<double>(), 1e-12);
  EXPECT_NEAR(found["metrics"]["annotator_disagreement"].get<double>(),
              fitted["observed_disagreement"].get<double>(), 1e-12);
  EXPECT_FALSE(found["disagreement"].empty());
  fit_model();
  const Outcome without = run({"evaluate", "model.json", "--logits", "logits.npy", "--votes",
                               "votes.csv", "--resamples", "0"});
  EXPECT_THAT(without.out, HasSubstr("needs a calibrator fitted with --second-order"));
}

TEST_F(SecondOrderCommand, CompareScoresItForEveryMethod) {
  const Outcome outcome =
      run({"compare", "--logits", "logits.npy", "--votes", "votes.csv", "-m", "slts",
           "--second-order", "--format", "json", "--folds", "2", "--resamples", "20"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const json found = json::parse(outcome.out);
  for (const json& method : found["splits"][0]["methods"]) {
    EXPECT_TRUE(method["metrics"]["dm_nll"]["value"].is_number()) << method["name"];
    EXPECT_FALSE(method["disagreement"].empty()) << method["name"];
  }
}

TEST_F(SecondOrderCommand, WhatCannotBeHadIsRefusedWithTheWayOut) {
  fit_model();
  const Outcome unfitted =
      run({"apply", "model.json", "--logits", "logits.npy", "--second-order", "-o", "out.csv"});
  EXPECT_NE(unfitted.code, 0);
  EXPECT_THAT(unfitted.err, HasSubstr("credence fit --second-order"));
  const Outcome alone =
      run({"apply", "model.json", "--logits", "logits.npy", "--next-votes", "5", "-o", "out.csv"});
  EXPECT_NE(alone.code, 0);
  EXPECT_THAT(alone.err, HasSubstr("--second-order"));
  const Outcome labels = run({"fit", "-m", "ts", "--logits", "logits.npy", "--labels", "labels.csv",
                              "--second-order", "-o", "sure.json"});
  EXPECT_NE(labels.code, 0);
  EXPECT_THAT(labels.err, HasSubstr("majority labels"));
  EXPECT_FALSE(fs::exists(file("sure.json")));
  ASSERT_EQ(fit_sure().code, 0);
  const Outcome clash = run({"apply", "sure.json", "--logits", "logits.npy", "--second-order",
                             "--score-classes", "a,concentration,c", "-o", "out.csv"});
  EXPECT_NE(clash.code, 0);
  EXPECT_THAT(clash.err, HasSubstr("concentration"));
}

}  // namespace
}  // namespace credence::cli_test
