#include "credence/page.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "credence/report.hpp"
#include "errors.hpp"
#include "report/page/html.hpp"
#include "report/page/sections.hpp"
#include "report/page/words.hpp"
#include "report/read_results.hpp"
#include "synthetic.hpp"

namespace credence::report {
namespace {

using testing::HasSubstr;
using testing::Not;

const Comparison& drawn_comparison() {
  static const Comparison result = [] {
    CompareOptions options;
    options.methods = {"slts", "ir-soft"};
    options.bootstrap.resamples = 50;
    options.metrics.draws = 5;
    options.seeds = {1, 2};
    return compare(testing_data::make_synthetic(400, 3).data, options);
  }();
  return result;
}

Provenance provenance() {
  Provenance origin;
  origin.class_names = {"<script>alert(1)</script>", "\"&'", "fox"};
  origin.command = {"credence", "compare", "--votes", "a b.csv"};
  return origin;
}

const Results& drawn_results() {
  static const Results made = results_of(drawn_comparison(), provenance());
  return made;
}

const std::string& text() {
  static const std::string made = results_json(drawn_results());
  return made;
}

/// The error of reading the results after `change`.
template <class Change>
std::string refusal(Change change) {
  nlohmann::ordered_json json = nlohmann::ordered_json::parse(text());
  change(json);
  try {
    parse_results(json.dump(), "results.json");
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::format);
    return error.what();
  }
  return "none";
}

TEST(ReadResults, GivesTheNumbersThatWereWritten) {
  const Results read = parse_results(text(), "results.json");
  ASSERT_EQ(read.splits.size(), 2u);
  EXPECT_EQ(read.recommended, drawn_comparison().splits[0].recommended);
  for (std::size_t s = 0; s < 2; ++s) {
    const SplitResult& split = drawn_comparison().splits[s];
    ASSERT_EQ(read.splits[s].methods.size(), split.methods.size());
    for (std::size_t j = 0; j < split.methods.size(); ++j) {
      const MethodResult& method = split.methods[j];
      const MethodRecord& again = read.splits[s].methods[j];
      EXPECT_EQ(again.name, method.name);
      for (const Estimate& e : method.estimates) {
        const EstimateRecord found = again.metric(e.name);
        EXPECT_EQ(found.value, e.value) << e.name;
        EXPECT_EQ(found.low, e.low) << e.name;
      }
      for (std::size_t b = 0; b < again.reliability.size(); ++b) {
        EXPECT_EQ(again.reliability[b].count, method.evaluation.reliability[b].count);
        EXPECT_EQ(again.reliability[b].spread, method.diagrams.reliability[b]);
      }
    }
  }
  EXPECT_EQ(read.evaluation.votes, drawn_comparison().evaluation_votes);
  EXPECT_EQ(read.class_name(2), "fox");
}

TEST(Tables, AreBoldWhereTheResultsAreBestWithinNoise) {
  const Results& read = drawn_results();
  const std::string markdown = table_markdown(read);
  for (const MethodRecord& method : read.first().methods) {
    const std::size_t row = markdown.find("\n| " + method.name + " ");
    ASSERT_NE(row, std::string::npos) << method.name;
    const std::string line = markdown.substr(row + 1, markdown.find('\n', row + 1) - row - 1);
    const bool bold = line.ends_with("** |");  // the last column is nll
    EXPECT_EQ(among_best(read.first(), method, *read.metric("nll")), bold) << line;
  }
}

TEST(ReadResults, WhatIsNoResultsFileIsRefusedWithItsPlace) {
  EXPECT_THAT(refusal([](auto& j) { j["format"] = "credence-plan"; }),
              HasSubstr("credence-results"));
  EXPECT_THAT(refusal([](auto& j) { j["version"] = 2; }), HasSubstr("version: version 2 is newer"));
  EXPECT_THAT(refusal([](auto& j) { j["splits"][0]["methods"][1].erase("metrics"); }),
              HasSubstr("splits[0].methods[1]: key 'metrics' is missing"));
  EXPECT_THAT(
      refusal([](auto& j) { j["splits"][0]["methods"][0]["reliability"][3]["count"] = "x"; }),
      HasSubstr("splits[0].methods[0].reliability[3].count"));
  EXPECT_THAT(refusal([](auto& j) { j["answer"]["recommended"] = "nobody"; }), HasSubstr("nobody"));
  EXPECT_THAT(refusal([](auto& j) { j["protocol"]["class_names"] = {"a"}; }),
              HasSubstr("expected 3 names"));
  EXPECT_THAT(refusal([](auto& j) { j["splits"] = nlohmann::json::array(); }),
              HasSubstr("one split or more"));
  EXPECT_THROW(parse_results("not json", "x"), Error);
  EXPECT_THROW(results_format("[1]", "x"), Error);
  EXPECT_EQ(results_format(text(), "x"), "credence-results");
}

TEST(ReadResults, OlderFilesWithoutDiagramsMakeAPageAllTheSame) {
  nlohmann::ordered_json json = nlohmann::ordered_json::parse(text());
  for (const char* key : {"entropy_histogram", "votes_histogram", "class_shares", "confusion"}) {
    json["data"]["evaluation"].erase(key);
  }
  for (auto& split : json["splits"]) {
    for (auto& method : split["methods"]) {
      method.erase("confidence_map");
      method.erase("error_density");
      for (auto& bin : method["reliability"]) {
        for (const char* key : {"agreement_standard_error", "accuracy_standard_error",
                                "agreement_noise", "accuracy_noise"}) {
          bin.erase(key);
        }
      }
    }
  }
  const Results results = parse_results(json.dump(), "results.json");
  EXPECT_FALSE(results.evaluation.votes.has_value());
  EXPECT_THAT(page(results).html, HasSubstr("before-after"));
}

TEST(Examples, AreThinnedOutEvenlyAndAlikeForAllMethods) {
  std::string csv =
      "row,id,method,predicted,voted,votes,confidence,agreement,correct,nll,brier,entropy\n";
  for (const char* method : {"ts", "slts"}) {
    for (int i = 0; i < 10; ++i) {
      csv += std::to_string(i) + ",'=id" + std::to_string(i) + "," + method + ",a,b,5,0." +
             std::to_string(i) + ",0.4,1,1,1,1\n";
    }
  }
  const ExampleRecords four = read_examples_text(csv, 4);
  EXPECT_EQ(four.available, 10u);
  EXPECT_EQ(four.names, (std::vector<std::string>{"=id0", "=id3", "=id5", "=id8"}));
  ASSERT_EQ(four.methods.size(), 2u);
  EXPECT_EQ(four.methods[1].confidence, four.methods[0].confidence);
  EXPECT_EQ(read_examples_text(csv, 100).names.size(), 10u);
  const std::string cut = csv.substr(0, csv.rfind('\n', csv.size() - 2) + 1);
  EXPECT_THROW(read_examples_text(cut, 100), Error) << "a row is missing";
  const std::string json = examples_json(four, true);
  const auto parsed = nlohmann::json::parse(json);
  EXPECT_EQ(parsed["methods"][1]["same"], 0) << "the same predictions are written once";
  EXPECT_EQ(parsed["names"][0], "=id0");
}

TEST(Examples, OfAComparisonAreThoseOfItsFile) {
  Dataset data = testing_data::make_synthetic(400, 3).data;
  data.classes = {"=formula", "a,b", "fox"};
  CompareOptions options;
  options.methods = {"slts"};
  options.bootstrap.resamples = 0;
  options.metrics.draws = 0;
  const Comparison comparison = compare(data, options);
  const std::vector<std::size_t>& rows = comparison.splits[0].split.evaluation;
  const Dataset evaluation = data.select(rows);
  const std::string csv = examples_csv(comparison, evaluation, rows);
  const ExampleRecords all = example_records(comparison, evaluation, rows);
  EXPECT_EQ(all, read_examples_text(csv, rows.size()));
  EXPECT_EQ(thinned(all, 7), read_examples_text(csv, 7));
  EXPECT_EQ(thinned(all, 0), read_examples_text(csv, 0));
}

TEST(Examples, CannotEndTheScriptElementAroundThem) {
  ExampleRecords examples;
  examples.names = {"</script><script>alert(1)</script>", "<!--"};
  examples.votes = {1, 1};
  examples.voted = examples.predicted = {"a", "b"};
  EXPECT_THAT(examples_json(examples, true, true), HasSubstr("\"grouped\":true"));
  const std::string json = examples_json(examples, true);
  EXPECT_THAT(json, Not(HasSubstr("<")));
  EXPECT_EQ(nlohmann::json::parse(json)["names"][0], examples.names[0]);
}

TEST(Html, EscapesTextAndAttributesAndClosesWhatItOpened) {
  Html html;
  html.open("p", {{"title", "\"<&>'"}, {"hidden", ""}}).text("<b>\x01").close();
  EXPECT_EQ(html.finish(),
            "<p title=\"&quot;&lt;&amp;&gt;&#39;\" hidden>&lt;b&gt;\xEF\xBF\xBD</p>\n");
}

TEST(Words, SharesAreInPerCentTheirDifferencesInPointsAndLossesInNeither) {
  EXPECT_EQ(value_with_unit("ece_true", 0.0123), "1.23 points");
  EXPECT_EQ(value_with_unit("accuracy", 0.5), "50.00 %");
  EXPECT_EQ(value_with_unit("ece2_debiased", 0.0123), "0.0123");
  EXPECT_EQ(value_with_unit("nll", 0.5), "0.5000");
  EXPECT_EQ(value_with_unit("a metric of a later version", 0.5), "0.5000");
}

TEST(PageWords, TheHeadlineIsTheVerdict) {
  Results results;
  results.recommended = results.candidate = "slts";
  EXPECT_EQ(headline(results), "Ship slts");
  results.verdict = Verdict::keep;
  results.recommended = "uncalibrated";
  EXPECT_EQ(headline(results), "No method clearly beats your model: keep it");
  results.verdict = Verdict::too_few;
  EXPECT_EQ(headline(results), "Too few examples to choose");
}

TEST(Words, APathIsCutToTheNameOfTheFile) {
  EXPECT_EQ(without_folders("read /home/jo/a.csv, then '/my data/b c.csv'"),
            "read a.csv, then 'b c.csv'");
  EXPECT_EQ(without_folders("C:\\data\\x.npy and ~/y.npy (in /tmp/z)"), "x.npy and y.npy (in z)");
  EXPECT_EQ(without_folders("--votes=/a/b.csv"), "--votes=b.csv");
  for (const char* same : {"1/2 of 3 / 4", "and/or", "</script>", "a // b", "/", "", "12:30/h"}) {
    EXPECT_EQ(without_folders(same), same);
  }
}

TEST(ShellCommand, NamesFilesWithoutTheirFolders) {
  EXPECT_EQ(shell_command({"credence", "compare", "--logits", "/home/jo/my data/x.npz:a",
                           "--votes=../v.csv", "--seeds", "1..3", "-o", "out/"}),
            "credence compare --logits x.npz:a --votes=v.csv --seeds 1..3 -o out");
}

TEST(ShellCommand, QuotesWhatAShellWouldChange) {
  EXPECT_EQ(shell_command({"credence", "--votes", "a b", "it's", "$(x)", ""}),
            "credence --votes 'a b' 'it'\\''s' '$(x)' ''");
}

TEST(Page, ShowsNamesAsTextAndIsTheSameEveryTime) {
  const std::string html = page(drawn_results()).html;
  EXPECT_THAT(html, Not(HasSubstr("<script>alert")));
  EXPECT_THAT(html, HasSubstr("&lt;script&gt;alert(1)"));
  EXPECT_THAT(html, HasSubstr("Content-Security-Policy"));
  EXPECT_THAT(html, Not(HasSubstr("=\"http"))) << "nothing is loaded";
  EXPECT_EQ(html, page(parse_results(text(), "results.json")).html) << "drawn from the file";
}

TEST(Page, LeadsWithTheHeadlineWhateverItIs) {
  Results results = drawn_results();
  results.verdict = Verdict::keep;
  results.words.front() = "No method clearly beats your model: keep it.";
  const std::string html = page(results).html;
  EXPECT_THAT(
      html, HasSubstr("<title>No method clearly beats your model: keep it - calibration report<"));
  EXPECT_THAT(html, HasSubstr("id=\"answer-title\">No method clearly beats your model: keep it<"));
  EXPECT_THAT(html, Not(HasSubstr("Ship")));
}

TEST(Page, OfTheModelAsItIsHasAnAnswerAndADiagram) {
  Results results = drawn_results();
  results.recommended = results.splits[0].recommended = "uncalibrated";
  results.candidate = results.splits[0].candidate = "uncalibrated";
  results.verdict = Verdict::keep;
  for (MethodRecord& method : results.splits[0].methods) {
    method.recommended = method.name == "uncalibrated";
  }
  const std::string html = page(results).html;
  EXPECT_THAT(html, HasSubstr("Reliability of uncalibrated"));
  EXPECT_THAT(html, testing::ContainsRegex("Confidence is off by [0-9.]+ points?\\.<"));
  EXPECT_THAT(html, Not(HasSubstr("id=\"changes\"")));
}

TEST(Page, HasNoFolderOfAnybodysFiles) {
  Results results = drawn_results();
  results.provenance.command.push_back("--groups=/home/jo/secret/groups.npy");
  results.provenance.notes = {"votes from /home/jo/secret/votes.csv"};
  results.warnings = {"see '/home/jo/secret/other file.csv'"};
  const std::string html = page(results).html;
  EXPECT_THAT(html, Not(HasSubstr("/home")));
  EXPECT_THAT(html, Not(HasSubstr("secret")));
  for (const char* name : {"groups.npy", "votes.csv", "other file.csv"}) {
    EXPECT_THAT(html, HasSubstr(name));
  }
}

TEST(Page, SaysWhichPredictionsChangeAndTheBestMethodThatKeepsThem) {
  Results results = drawn_results();
  results.decisions = Decisions{200, 0, {}};
  EXPECT_THAT(page(results).html, HasSubstr("changes no prediction on the test rows"));
  results.decisions = Decisions{200, 50, {{0, 120, {0.9, 0.8, 0.95}, {0.7, 0.6, 0.8}}}};
  results.keeper = "ts";
  const std::string html = page(results).html;
  EXPECT_THAT(html, HasSubstr(" changes the predicted class of 50 of 200 test examples (25.0 %)."));
  EXPECT_THAT(html, HasSubstr("The best method that keeps every prediction is <bdi>ts"));
  EXPECT_THAT(html, HasSubstr("90.0 [80.0, 95.0]"));
  EXPECT_THAT(html, HasSubstr("70.0 [60.0, 80.0]"));
  EXPECT_THAT(html, HasSubstr("-20.0"));
}

TEST(Figures, HaveNamesOfTheirOwnThatFilesCanHave) {
  std::set<std::string> names;
  for (const Figure& figure : figures(drawn_results())) {
    EXPECT_TRUE(names.insert(figure.name).second) << figure.name;
    EXPECT_EQ(figure.name.find_first_not_of(
                  "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"),
              std::string::npos)
        << figure.name;
    EXPECT_THAT(figure.svg, testing::StartsWith("<svg xmlns"));
  }
  EXPECT_TRUE(names.contains("before-after"));
  EXPECT_TRUE(names.contains("error-by-entropy"));
}

}  // namespace
}  // namespace credence::report
