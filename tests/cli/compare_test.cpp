// compare, ablate and plan as a user runs them.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "cli/program.hpp"

namespace credence::cli_test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

/// 400 generated examples in demo/.
class Comparing : public ProgramTest {
 protected:
  Comparing() { EXPECT_EQ(run({"demo", "--rows", "400", "-o", "demo"}).code, 0); }

  std::vector<std::string> with_data(std::vector<std::string> words) const {
    words.insert(words.end(), {"--logits", "demo/logits.npy", "--votes", "demo/votes.csv"});
    return words;
  }
  Outcome compare(std::vector<std::string> more) const {
    more.insert(more.begin(), {"compare", "--resamples", "100", "--draws", "5"});
    return run(with_data(std::move(more)));
  }
};

TEST_F(Comparing, TheAnswerIsInTheFirstLines) {
  const Outcome outcome = compare({"--full"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  std::size_t end = 0;
  for (int line = 0; line < 6; ++line) end = outcome.out.find('\n', end) + 1;
  const std::string answer = outcome.out.substr(0, end);
  EXPECT_THAT(answer, HasSubstr("Ship "));
  EXPECT_THAT(answer, HasSubstr("uncalibrated"));
  EXPECT_THAT(answer, HasSubstr("the interval excludes 0"));
  EXPECT_THAT(answer, HasSubstr("where a perfect model would show"));
  EXPECT_THAT(answer, HasSubstr("no model "));
  EXPECT_THAT(answer, HasSubstr("calibration examples alone"));
}

TEST_F(Comparing, FitsOneScreenUnlessAskedForMore) {
  const Outcome brief = compare({}), full = compare({"--full"});
  ASSERT_EQ(brief.code, 0) << brief.err;
  EXPECT_LE(std::ranges::count(brief.out, '\n'), 24);
  EXPECT_THAT(brief.out, Not(HasSubstr("fixed-ls")));
  EXPECT_THAT(full.out, HasSubstr("fixed-ls"));
  EXPECT_THAT(full.out, HasSubstr("Confidence and agreement"));
}

TEST_F(Comparing, FolderHoldsEverythingAndTheCalibratorWorks) {
  const Outcome outcome = compare({"-o", "results", "--examples"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const std::set<std::string> expected{"calibration_rows.txt",
                                       "calibrator-as-scored.json",
                                       "calibrator.json",
                                       "evaluation.csv",
                                       "results.csv",
                                       "results.json",
                                       "table.md",
                                       "table.tex"};
  EXPECT_EQ(files_in(folder_ / "results"), expected);
  const json results = json::parse(text_of("results/results.json"));
  EXPECT_EQ(results["format"], "credence-results");
  const std::string recommended = results["answer"]["recommended"];
  EXPECT_EQ(json::parse(text_of("results/calibrator.json"))["method"], recommended);
  const Outcome scored =
      run(with_data({"evaluate", "results/calibrator-as-scored.json", "--skip-rows",
                     "results/calibration_rows.txt", "--format", "json", "--resamples", "0"}));
  ASSERT_EQ(scored.code, 0) << scored.err;
  for (const json& method : results["splits"][0]["methods"]) {
    if (method["name"] != recommended) continue;
    EXPECT_EQ(method["metrics"]["nll"]["value"],
              json::parse(scored.out)["metrics"]["nll"].is_object()
                  ? json::parse(scored.out)["metrics"]["nll"]["value"]
                  : json::parse(scored.out)["metrics"]["nll"]);
  }
}

TEST_F(Comparing, EveryNumberHasADefinitionAProtocolAndAnInterval) {
  const Outcome outcome = compare({"--format", "json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const json results = json::parse(outcome.out);
  std::map<std::string, json> defined;
  for (const json& metric : results["metrics"]) {
    EXPECT_FALSE(metric["definition"].get<std::string>().empty()) << metric["name"];
    defined[metric["name"]] = metric;
  }
  for (const json& method : results["splits"][0]["methods"]) {
    for (const auto& [name, estimate] : method["metrics"].items()) {
      if (name == "human_ceiling") {  // the former name, for programs that know no other
        EXPECT_EQ(estimate, method["metrics"]["annotator_disagreement"]);
        continue;
      }
      ASSERT_TRUE(defined.contains(name)) << name;
      if (estimate["value"].is_null() || defined[name].contains("why_no_interval")) continue;
      EXPECT_FALSE(estimate["low"].is_null()) << method["name"] << " " << name;
      EXPECT_LE(estimate["low"], estimate["high"]);
    }
  }
  EXPECT_EQ(results["protocol"]["bootstrap"]["resamples"], 100);
  EXPECT_EQ(results["protocol"]["seeds"], json({42}));
}

TEST_F(Comparing, TheFinalCalibratorIsFittedToAllRowsAndSaysSo) {
  const Outcome outcome = compare({"-o", "results"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("fitted again on all"));
  const json final_one = json::parse(text_of("results/calibrator.json"));
  const json scored = json::parse(text_of("results/calibrator-as-scored.json"));
  EXPECT_EQ(final_one["method"], scored["method"]);
  EXPECT_EQ(final_one["protocol"]["rows"].get<int>(), 2 * scored["protocol"]["rows"].get<int>());
  const Outcome again =
      run(with_data({"fit", "--method", final_one["method"].get<std::string>(), "-o", "all.json"}));
  ASSERT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(text_of("all.json"), text_of("results/calibrator.json"));
  ASSERT_EQ(compare({"-o", "half", "--final", "no"}).code, 0);
  EXPECT_EQ(text_of("half/calibrator.json"), text_of("results/calibrator-as-scored.json"));
  EXPECT_FALSE(fs::exists(folder_ / "half" / "calibrator-as-scored.json"));
}

TEST_F(Comparing, ScoringRowsThatWereFittedOnIsNoticedAlsoForAPartOfThem) {
  ASSERT_EQ(compare({"-o", "results"}).code, 0);
  const std::string rows = "results/calibration_rows.txt";
  const auto evaluate = [&](std::vector<std::string> more) {
    more.insert(more.begin(),
                {"evaluate", "results/calibrator-as-scored.json", "--resamples", "0"});
    return run(with_data(std::move(more))).err;
  };
  EXPECT_THAT(evaluate({"--rows", rows}), HasSubstr("the rows the calibrator was fitted on"));
  EXPECT_THAT(evaluate({}), HasSubstr("was fitted on about 200 of these 400 rows"));
  EXPECT_THAT(evaluate({"--skip-rows", rows}), Not(HasSubstr("fitted on")));
}

TEST_F(Comparing, ThreadsAndFoldersChangeNoByteOfTheResults) {
  ASSERT_EQ(compare({"--threads", "1", "-o", "one"}).code, 0);
  ASSERT_EQ(compare({"--threads", "7", "-o", "seven"}).code, 0);
  for (const char* name :
       {"results.json", "results.csv", "table.md", "table.tex", "calibrator.json"}) {
    EXPECT_EQ(text_of(std::string("one/") + name), text_of(std::string("seven/") + name)) << name;
  }
}

TEST_F(Comparing, GivenCalibrationRowsAreThoseThatFitted) {
  const Outcome outcome =
      compare({"--methods", "slts", "--calibration-rows", "demo/fit_rows.txt", "--format", "json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  ASSERT_EQ(
      run(with_data({"fit", "--method", "slts", "--rows", "demo/fit_rows.txt", "-o", "slts.json"}))
          .code,
      0);
  const json fitted = json::parse(text_of("slts.json"));
  const json results = json::parse(outcome.out);
  for (const json& method : results["splits"][0]["methods"]) {
    if (method["name"] != "slts") continue;
    const std::string text = fitted.dump();
    EXPECT_THAT(text, HasSubstr(method["temperature"].dump()));
  }
}

TEST_F(Comparing, TestFilesWithClassesInAnotherOrderAreMatchedByName) {
  write("c.csv", "a,b,c\n3,1,0\n0,2,1\n1,0,4\n2,1,0\n0,3,1\n1,0,2\n2,0,1\n0,1,0\n1,1,3\n4,0,1\n");
  write("cv.csv", "a,b,c\n5,1,0\n1,4,1\n0,1,5\n4,1,1\n1,5,0\n1,1,4\n5,0,1\n1,5,0\n1,0,5\n5,1,0\n");
  write("t.csv", "c,a,b\n0,3,1\n1,0,2\n4,1,0\n0,2,1\n");
  write("tv.csv", "c,b,a\n0,1,5\n1,4,1\n5,1,0\n1,1,4\n");
  write("same.csv", "a,b,c\n3,1,0\n0,2,1\n1,0,4\n2,1,0\n");
  const std::vector<std::string> base{
      "compare", "--logits",    "c.csv", "--votes",  "cv.csv", "--methods",    "slts",  "--folds",
      "2",       "--resamples", "0",     "--format", "csv",    "--test-votes", "tv.csv"};
  std::vector<std::string> other = base, same = base;
  other.insert(other.end(), {"--test-logits", "t.csv"});
  same.insert(same.end(), {"--test-logits", "same.csv"});
  const Outcome a = run(other), b = run(same);
  ASSERT_EQ(a.code, 0) << a.err;
  EXPECT_EQ(a.out, b.out);
}

TEST_F(Comparing, BadRequestsAreRefusedAndLeaveNothing) {
  const std::vector<std::vector<std::string>> bad{
      {"--methods", "slst"},
      {"--seeds", "5..1"},
      {"--share", "1"},
      {"--test-logits", "nowhere"},
      {"--folds", "1"},
      {"--examples"},
      {"--calibration-rows", "demo/fit_rows.txt", "--rows", "demo/fit_rows.txt"},
  };
  for (std::vector<std::string> words : bad) {
    if (words[0] != "--examples") words.insert(words.end(), {"-o", "results"});
    const Outcome outcome = compare(words);
    EXPECT_EQ(outcome.code, 2) << words[0] << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("error"));
    EXPECT_FALSE(fs::exists(folder_ / "results")) << words[0];
  }
  const Outcome missing = compare({"--calibration-rows", "nowhere.txt", "-o", "results"});
  EXPECT_EQ(missing.code, 1);
  EXPECT_FALSE(fs::exists(folder_ / "results"));
  write("occupied", "a file");
  EXPECT_EQ(compare({"-o", "occupied"}).code, 1);
  EXPECT_EQ(text_of("occupied"), "a file");
}

TEST_F(Comparing, InterruptedAblationGoesOnAndGivesTheSameBytes) {
  const auto ablate = [&](const std::string& folder) {
    return with_data(
        {"ablate", "--study", "size,draws", "--seeds", "1..3", "--draws", "3", "-o", folder});
  };
  ASSERT_EQ(run(ablate("whole")).code, 0);
  // A journal as an interruption leaves it: some lines, the last one cut off. Nobody can be told
  // the result, so the finished work stays.
  const Outcome untold = shell(
      "credence ablate --study size,draws --seeds 1..3 --draws 3 --logits demo/logits.npy --votes "
      "demo/votes.csv -o cut2 > /dev/full");
  ASSERT_EQ(untold.code, 1) << untold.err;
  ASSERT_FALSE(fs::exists(folder_ / "cut2/results.json"));
  const std::string journal = text_of("cut2/ablate.journal");
  const std::size_t middle = journal.find('\n', journal.size() / 2);
  ASSERT_LT(middle, journal.size() - 1);
  write("cut2/ablate.journal", journal.substr(0, middle - 20));
  const Outcome resumed = run(ablate("cut2"));
  ASSERT_EQ(resumed.code, 0) << resumed.err;
  for (const char* name : {"results.json", "results.csv", "table.md"}) {
    EXPECT_EQ(text_of(std::string("whole/") + name), text_of(std::string("cut2/") + name)) << name;
  }
  EXPECT_FALSE(fs::exists(folder_ / "cut2/ablate.journal"));
}

TEST_F(Comparing, JournalOfOtherWorkIsRefused) {
  fs::create_directory(folder_ / "mine");
  write("mine/ablate.journal", "credence ablate journal 1: something else\n");
  const Outcome outcome =
      run(with_data({"ablate", "--study", "smoothing", "--seeds", "1", "-o", "mine"}));
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("other data or options"));
}

TEST_F(Comparing, PlanSaysWhereOneMoreAnnotationHelps) {
  const Outcome outcome =
      run(with_data({"plan", "--examples", "500", "--votes-per-example", "1,4"}));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("helps most"));
  EXPECT_THAT(outcome.out, HasSubstr("2,000"));
  const Outcome as_json = run(with_data({"plan", "--format", "json"}));
  EXPECT_EQ(json::parse(as_json.out)["format"], "credence-plan");
}

}  // namespace
}  // namespace credence::cli_test
