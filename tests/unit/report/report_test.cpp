#include "credence/report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "report/csv.hpp"
#include "synthetic.hpp"

namespace credence::report {
namespace {

using testing::HasSubstr;
using testing::Not;

const Dataset& data() {
  static const auto made = testing_data::make_synthetic(600, 3);
  return made.data;
}

const Comparison& comparison() {
  static const Comparison result = [] {
    CompareOptions options;
    options.bootstrap.resamples = 200;
    options.metrics.draws = 10;
    options.oracle = true;
    return compare(data(), options);
  }();
  return result;
}

const Results& results() {
  static const Results made = results_of(comparison(), {});
  return made;
}

TEST(Answer, SaysTheRecommendedMethodAndTheIntervalOfItsPairedGain) {
  const SplitRecord& split = results().first();
  const std::vector<std::string> words = answer(results());
  ASSERT_EQ(words.size(), 6u);
  EXPECT_THAT(words[0], HasSubstr("Ship " + split.recommended + ":"));
  const EstimateRecord gap = results().chosen().difference("uncalibrated", "nll");
  ASSERT_TRUE(gap.high.has_value());
  char text[64];
  std::snprintf(text, sizeof text, "[%.4f, %.4f]", -*gap.high, -*gap.low);
  EXPECT_THAT(words[1], HasSubstr(text));
  // An interval of one pair of fits says whether 0 is in it, not how often chance would do as much.
  EXPECT_THAT(words[1],
              HasSubstr(std::string(text) + ", " +
                        (*gap.high < 0.0 ? "the interval excludes 0" : "the interval includes 0")));
  EXPECT_THAT(words[1], Not(HasSubstr("chance")));
}

TEST(Answer, SaysWhatChanceAloneShowsBesideTheCalibrationError) {
  const SplitResult& split = comparison().splits[0];
  char text[64];
  std::snprintf(text, sizeof text, "would show about %.2f by chance",
                100.0 * split.method(split.recommended).evaluation.ece_by_chance);
  EXPECT_THAT(answer(results())[2], HasSubstr(text));
}

TEST(Answer, NeverClaimsAPartLargerThanTheWhole) {
  Results changed = results();
  auto& methods = changed.splits[0].methods;
  const auto chosen = std::ranges::find(methods, changed.recommended, &MethodRecord::name);
  const auto set = [&](std::string_view name, double value) {
    for (auto& [known, estimate] : chosen->metrics) {
      if (known == name) estimate.value = value;
    }
  };
  // Over the few examples with two votes, whatever brier_reader is over all of them.
  chosen->repeated_rows = 7;
  set("brier_reader", 0.6171);
  set("annotator_disagreement", 0.7333);
  set("brier_unbiased", 0.1);
  EXPECT_THAT(answer(changed)[4], HasSubstr("of the Brier score 0.8333 of the 7 examples with two "
                                            "votes or more, 0.7333 is their own disagreement"));
  set("brier_unbiased", -0.1);
  EXPECT_THAT(answer(changed)[4],
              HasSubstr("Brier score 0.6333 of the 7 examples with two votes or "
                        "more is no more than their own disagreement (0.7333)"));
}

TEST(AmongBest, IsTheBestItselfAndWhatItsPairedIntervalDoesNotTellFromIt) {
  const SplitRecord& split = results().first();
  for (const char* name : {"nll", "brier", "ece_expected", "accuracy"}) {
    const MetricRecord& metric = *results().metric(name);
    const MethodRecord* winner = best(split, metric);
    ASSERT_NE(winner, nullptr) << name;
    EXPECT_FALSE(winner->oracle);
    EXPECT_TRUE(among_best(split, *winner, metric));
    for (const MethodRecord& method : split.methods) {
      ASSERT_NE(method.differences.find(winner->name), nullptr) << "the best is a reference";
      const EstimateRecord gap = method.difference(winner->name, name);
      if (method.oracle || !gap.low) continue;
      EXPECT_EQ(among_best(split, method, metric), *gap.low <= 0.0 && *gap.high >= 0.0)
          << method.name << " " << name;
    }
  }
}

TEST(ResultsJson, ReadsBackAsTheNumbersOfTheComparison) {
  const auto json = nlohmann::json::parse(results_json(results()));
  const SplitResult& split = comparison().splits[0];
  ASSERT_EQ(json["splits"][0]["methods"].size(), split.methods.size());
  for (std::size_t j = 0; j < split.methods.size(); ++j) {
    const auto& method = json["splits"][0]["methods"][j];
    EXPECT_EQ(method["name"], split.methods[j].name);
    for (const Estimate& e : split.methods[j].estimates) {
      const auto& found = method["metrics"][std::string(e.name)];
      EXPECT_EQ(found["value"].is_null(), !e.value.has_value()) << e.name;
      if (!e.value || !e.low) continue;
      EXPECT_EQ(found["value"].get<double>(), *e.value) << e.name;
      EXPECT_EQ(found["low"].get<double>(), *e.low) << e.name;
    }
  }
}

TEST(ResultsCsv, HasOneLinePerMethodAndMetric) {
  const std::string csv = results_csv(results());
  const auto lines = static_cast<std::size_t>(std::ranges::count(csv, '\n'));
  EXPECT_EQ(lines, 1 + comparison().splits[0].methods.size() * metric_table().size());
}

TEST(Tables, MarkTheOracleAndNeverMakeItBold) {
  const std::string markdown = table_markdown(results()), latex = table_latex(results());
  const std::size_t row = markdown.find("*oracle-ts*");
  ASSERT_NE(row, std::string::npos);
  EXPECT_THAT(markdown.substr(row, markdown.find('\n', row) - row), Not(HasSubstr("**")));
  EXPECT_THAT(latex, HasSubstr("\\textit{oracle-ts}"));
  EXPECT_THAT(latex, HasSubstr("95 \\% interval"));
}

TEST(ExamplesCsv, HasOneLinePerExampleAndMethodAndTheOriginalRows) {
  const SplitResult& split = comparison().splits[0];
  const std::string csv =
      examples_csv(comparison(), data().select(split.split.evaluation), split.split.evaluation);
  EXPECT_EQ(static_cast<std::size_t>(std::ranges::count(csv, '\n')),
            1 + split.methods.size() * split.split.evaluation.size());
  EXPECT_THAT(csv, HasSubstr("\n" + std::to_string(split.split.evaluation.back()) + ",,"));
}

TEST(Csv, QuotesWhatNeedsItAndDisarmsFormulas) {
  EXPECT_EQ(csv_text("plain"), "plain");
  EXPECT_EQ(csv_text("a,\"b\""), "\"a,\"\"b\"\"\"");
  EXPECT_EQ(csv_text("=1+1"), "'=1+1");
  EXPECT_EQ(csv_text("@x,y"), "\"'@x,y\"");
  EXPECT_EQ(csv_number(std::nullopt), "");
  EXPECT_EQ(csv_number(0.1), "0.1");
}

TEST(AblationLine, ReadsBackAsTheSameBits) {
  AblateOptions options;
  options.studies = {Study::smoothing};
  options.seeds = {3};
  options.metrics.draws = 2;
  const auto results = ablate(data(), options);
  const AblationResult again = read_ablation_line(ablation_line(results[0]), "line");
  EXPECT_EQ(again.task, results[0].task);
  ASSERT_EQ(again.points.size(), results[0].points.size());
  for (std::size_t j = 0; j < again.points.size(); ++j) {
    EXPECT_EQ(again.points[j].method, results[0].points[j].method);
    EXPECT_EQ(again.points[j].temperature, results[0].points[j].temperature);
    EXPECT_EQ(again.points[j].metrics, results[0].points[j].metrics);
  }
}

}  // namespace
}  // namespace credence::report
