// Intervals of `evaluate`, and the catalogue that `metrics` prints.
#include "credence/evaluate.hpp"

#include <gmock/gmock.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/program.hpp"

namespace credence::cli_test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

class Intervals : public ProgramTest {
 protected:
  Intervals() {
    std::string probs, votes, groups;
    for (int i = 0; i < 40; ++i) {
      const int top = 55 + i;
      probs += "0." + std::to_string(top) + ",0." + (top > 90 ? "0" : "") +
               std::to_string(100 - top) + "\n";
      votes += std::to_string(5 + i % 5) + "," + std::to_string(4 - i % 4) + "\n";
      groups += "patient" + std::to_string(i / 4) + "\n";
    }
    write("probs.csv", probs);
    write("votes.csv", votes);
    write("groups.csv", groups);
  }
  Outcome evaluate(std::vector<std::string> more) const {
    std::vector<std::string> all{"evaluate", "--probs", "probs.csv", "--votes", "votes.csv"};
    all.insert(all.end(), more.begin(), more.end());
    return run(all);
  }
  json scores(std::vector<std::string> more) const {
    more.insert(more.end(), {"--format", "json"});
    const Outcome outcome = evaluate(more);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return json::parse(outcome.out);
  }
};

TEST_F(Intervals, AreThereByDefaultAndHoldTheValue) {
  const json found = scores({});
  EXPECT_EQ(found["intervals"]["resamples"], 1000);
  EXPECT_EQ(found["intervals"]["unit"], "example");
  EXPECT_EQ(found["intervals"]["units"], 40);
  for (const char* name : {"nll", "brier", "accuracy"}) {
    const json& interval = found["intervals"]["metrics"][name];
    EXPECT_LE(interval["low"], found["metrics"][name]) << name;
    EXPECT_GE(interval["high"], found["metrics"][name]) << name;
  }
  EXPECT_FALSE(found["intervals"]["metrics"].contains("smooth_ece"));
  EXPECT_THAT(evaluate({}).out, HasSubstr("95 % interval"));
}

TEST_F(Intervals, ErrorsOfThePredictedClassAloneAreThoseOfAllMetrics) {
  const json all = scores({}), alone = scores({"--ece-only"});
  EXPECT_EQ(alone["metrics"].size(), 3U);
  for (const auto& [name, value] : alone["metrics"].items()) {
    EXPECT_EQ(value, all["metrics"][name]) << name;
  }
  EXPECT_TRUE(scores({"--ece-only", "--draws", "0"})["metrics"]["ece_true"].is_null());
  const Outcome both = evaluate({"--ece-only", "--reliability"});
  EXPECT_EQ(both.code, 2);
  EXPECT_THAT(both.err, HasSubstr("--reliability asks for more"));
}

TEST_F(Intervals, ABinnedErrorStandsBesideWhatChanceShows) {
  const json found = scores({});
  EXPECT_GT(found["ece_expected_by_chance"], 0.0);
  EXPECT_THAT(
      evaluate({}).out, HasSubstr("never 0: a perfectly calibrated model would show about " + [&] {
        char text[32];
        std::snprintf(text, sizeof text, "%.6f", found["ece_expected_by_chance"].get<double>());
        return std::string(text);
      }()));
}

TEST_F(Intervals, CanBeLeftOut) {
  EXPECT_EQ(scores({"--resamples", "0"})["intervals"], nullptr);
  EXPECT_EQ(scores({"--resamples", "0"})["metrics"], scores({})["metrics"]);
}

TEST_F(Intervals, FollowWhatWasAskedFor) {
  const json usual = scores({})["intervals"]["metrics"]["nll"];
  for (const std::vector<std::string>& other :
       std::vector<std::vector<std::string>>{{"--seed", "1"},
                                             {"--level", "0.5"},
                                             {"--interval", "studentised"},
                                             {"--groups", "groups.csv"},
                                             {"--resample-annotators"},
                                             {"--resamples", "500"}}) {
    EXPECT_NE(scores(other)["intervals"]["metrics"]["nll"], usual) << other.front();
  }
  EXPECT_EQ(scores({"--groups", "groups.csv"})["intervals"]["units"], 10);
}

TEST_F(Intervals, DoNotDependOnThreads) {
  EXPECT_EQ(evaluate({"--threads", "1"}).out, evaluate({"--threads", "7"}).out);
}

TEST_F(Intervals, SharesCannotBeRedrawn) {
  write("votes.csv", [] {
    std::string shares;
    for (int i = 0; i < 40; ++i) shares += "0.75,0.25\n";
    return shares;
  }());
  const Outcome outcome = evaluate({"--resample-annotators"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("annotators cannot be redrawn"));
  EXPECT_THAT(outcome.err, HasSubstr("counts of votes"));
}

TEST_F(Intervals, MetricsListTheWholeTable) {
  const json listed = json::parse(run({"metrics", "--format", "json"}).out)["metrics"];
  ASSERT_EQ(listed.size(), metric_table().size());
  const std::string text = run({"metrics"}).out, csv = run({"metrics", "--format", "csv"}).out;
  const std::string markdown = run({"metrics", "--format", "markdown"}).out;
  for (std::size_t i = 0; i < listed.size(); ++i) {
    const std::string name(metric_table()[i].name);
    EXPECT_EQ(listed[i]["name"], name);
    EXPECT_FALSE(listed[i]["definition"].get<std::string>().empty()) << name;
    EXPECT_THAT(text, HasSubstr("  " + name + " "));
    EXPECT_THAT(csv, HasSubstr("\n" + name + ","));
    EXPECT_THAT(markdown, HasSubstr("`" + name + "`"));
  }
}

}  // namespace
}  // namespace credence::cli_test
