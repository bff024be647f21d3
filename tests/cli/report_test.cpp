// report, and compare --report, as a user runs them.
#include <gmock/gmock.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "cli/program.hpp"

namespace credence::cli_test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

/// 300 generated examples in demo/, compared in results/.
class Reporting : public ProgramTest {
 protected:
  Reporting() {
    EXPECT_EQ(run({"demo", "--rows", "300", "-o", "demo"}).code, 0);
    EXPECT_EQ(compare({"-o", "results", "--examples"}).code, 0);
  }
  Outcome compare(std::vector<std::string> more) const {
    more.insert(more.begin(),
                {"compare", "--logits", "demo/logits.npy", "--votes", "demo/votes.csv",
                 "--resamples", "50", "--draws", "5", "--methods", "ts,slts"});
    return run(more);
  }
};

TEST_F(Reporting, PageIsOneFileBesideTheResultsUnlessSaidOtherwise) {
  const Outcome outcome = run({"report", "results"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("results/report.html ("));
  const std::string page = text_of("results/report.html");
  EXPECT_THAT(page, StartsWith("<!DOCTYPE html>"));
  const Outcome piped = run({"report", "results/results.json", "-o", "-"});
  EXPECT_EQ(piped.out, page);
}

TEST_F(Reporting, ComparingWithAReportWritesTheSamePageAndCommand) {
  ASSERT_EQ(compare({"-o", "again", "--examples", "--report", "--embed-examples", "20"}).code, 0);
  EXPECT_EQ(text_of("again/results.json"), text_of("results/results.json"));
  const Outcome outcome = run({"report", "results", "-o", "page.html", "--embed-examples", "20"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("20 of 150 examples embedded"));
  EXPECT_EQ(text_of("again/report.html"), text_of("page.html"));
  ASSERT_EQ(compare({"--report", "alone.html"}).code, 0);
  EXPECT_THAT(text_of("alone.html"), StartsWith("<!DOCTYPE html>"));
}

TEST_F(Reporting, FiguresAreFilesOfTheirOwn) {
  const Outcome outcome = run({"report", "results", "-o", "page.html", "--figures", "figures"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const std::set<std::string> files = files_in(folder_ / "figures");
  EXPECT_TRUE(files.contains("before-after.svg"));
  EXPECT_TRUE(files.contains("error-by-entropy.svg"));
  for (const std::string& name : files) {
    EXPECT_THAT(text_of("figures/" + name), StartsWith("<svg xmlns"));
  }
}

TEST_F(Reporting, OtherFormatsComeFromRsvgConvertWhereItIs) {
  if (shell("command -v rsvg-convert").code != 0) {
    ASSERT_EQ(std::getenv("CREDENCE_REQUIRE_BROWSER"), nullptr) << "rsvg-convert is wanted";
    GTEST_SKIP() << "rsvg-convert is not installed";
  }
  const Outcome outcome = run({"report", "results", "-o", "page.html", "--figures", "figures",
                               "--figure-format", "pdf,png"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(text_of("figures/before-after.pdf"), StartsWith("%PDF"));
  EXPECT_THAT(text_of("figures/before-after.png"), StartsWith("\x89PNG"));
  EXPECT_FALSE(fs::exists(folder_ / "figures/before-after.svg"));
}

TEST_F(Reporting, WithoutRsvgConvertTheErrorSaysHowToGetItAndNothingIsLeft) {
  const Outcome outcome = shell(
      "credence=$(command -v credence); PATH=/nowhere $credence report results -o page.html "
      "--figures figures --figure-format png");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("apt install librsvg2-bin"));
  EXPECT_FALSE(fs::exists(folder_ / "figures"));
  EXPECT_FALSE(fs::exists(folder_ / "page.html"));
}

TEST_F(Reporting, AblationsAddTheirCurves) {
  ASSERT_EQ(run({"ablate", "--study", "size", "--seeds", "1,2", "--draws", "3", "--logits",
                 "demo/logits.npy", "--votes", "demo/votes.csv", "-o", "ablation"})
                .code,
            0);
  ASSERT_EQ(run({"report", "results", "ablation", "-o", "page.html"}).code, 0);
  EXPECT_THAT(text_of("page.html"), HasSubstr("ablation-size-nll"));
}

TEST_F(Reporting, WhatCannotBeShownIsRefusedAndLeavesNothing) {
  write("other.json", "{\"format\": \"something\"}");
  json newer = json::parse(text_of("results/results.json"));
  newer["version"] = 99;
  write("newer.json", newer.dump());
  fs::remove(folder_ / "results/evaluation.csv");
  struct Bad {
    std::vector<std::string> words;
    int code;
    const char* says;
  };
  const std::vector<Bad> all{
      {{"nowhere"}, 1, "nowhere"},
      {{"demo"}, 1, "no results.json in this folder"},
      {{"other.json"}, 1, "not a results file"},
      {{"newer.json"}, 1, "newer than this program"},
      {{"results/table.md"}, 1, "written by 'credence compare'"},
      {{"results", "results"}, 2, "a report shows one"},
      {{"results", "--embed-examples", "5"}, 1, "--examples"},
      {{"results", "--figure-format", "png"}, 2, "--figures DIR"},
      {{"results", "--figures", "f", "--figure-format", "gif"}, 2, "unknown figure format 'gif'"},
      {{}, 2, "results is required"},
  };
  for (const Bad& bad : all) {
    std::vector<std::string> words{"report", "-o", "page.html"};
    words.insert(words.end(), bad.words.begin(), bad.words.end());
    const Outcome outcome = run(words);
    EXPECT_EQ(outcome.code, bad.code) << bad.says << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(bad.says));
    EXPECT_FALSE(fs::exists(folder_ / "page.html")) << bad.says;
    EXPECT_FALSE(fs::exists(folder_ / "f")) << bad.says;
  }
  EXPECT_EQ(compare({"--report"}).code, 2) << "no place for the page";
  EXPECT_THAT(compare({"--embed-examples", "5", "-o", "f"}).err, HasSubstr("add --report"));
  EXPECT_FALSE(fs::exists(folder_ / "f"));
}

TEST_F(Reporting, TerminalShowsASmallDiagramWithoutColourInAPipe) {
  const Outcome outcome = compare({"--full"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("Confidence and agreement"));
  EXPECT_THAT(outcome.out, HasSubstr("█"));
  EXPECT_THAT(outcome.out, Not(HasSubstr("\x1b")));
}

}  // namespace
}  // namespace credence::cli_test
