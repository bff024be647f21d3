// What is written is read back as the same value, and what is read is written as the same bytes.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "credence/report.hpp"
#include "report/read_results.hpp"
#include "synthetic.hpp"

namespace credence::report {
namespace {

CompareOptions quick() {
  CompareOptions options;
  options.methods = {"slts"};
  options.bootstrap.resamples = 20;
  options.metrics.draws = 2;
  options.threads = 1;
  return options;
}

Provenance origin() {
  return {.program = "credence",
          .command = {"credence", "compare"},
          .score_kind = "logits",
          .joined_by = "row",
          .classes_matched = "assumed",
          .fingerprint = "0123",
          .class_names = {"a", "\"b\"", "c"},
          .notes = {"a note"}};
}

const Dataset& small_data() {
  static const Dataset made = testing_data::make_synthetic(300, 3).data;
  return made;
}

Results recorded(const CompareOptions& options) {
  return results_of(compare(small_data(), options), origin());
}

void expect_round_trip(const Results& value) {
  const std::string text = results_json(value);
  const Results again = parse_results(text, value.origin);
  EXPECT_TRUE(again == value);
  EXPECT_EQ(results_json(again), text);
}

TEST(RoundTrip, HoldsForEveryKindOfComparison) {
  expect_round_trip(recorded(quick()));
  CompareOptions several = quick();
  several.seeds = {1, 2, 3};
  several.oracle = true;
  expect_round_trip(recorded(several));
  CompareOptions bare = quick();
  bare.bootstrap.resamples = 0;
  bare.metrics.draws = 0;
  expect_round_trip(recorded(bare));
  CompareOptions choosing = quick();
  choosing.methods = {"auto"};
  const Results chosen = recorded(choosing);
  ASSERT_TRUE(chosen.first().find("auto")->selection);
  ASSERT_EQ(chosen.first().loss_parts->problem, "");
  expect_round_trip(chosen);
  CompareOptions refitted = quick();
  refitted.refits = 2;
  const Results with_refits = recorded(refitted);
  EXPECT_FALSE(with_refits.first().methods[0].refit_metrics.empty());
  expect_round_trip(with_refits);
}

TEST(RoundTrip, HoldsForDataInTwoPartsAndForMajorityLabels) {
  expect_round_trip(results_of(compare(small_data(), small_data(), quick()), origin()));
  Dataset labels = small_data();
  std::vector<std::uint32_t> voted;
  for (std::size_t i = 0; i < small_data().rows(); ++i)
    voted.push_back(small_data().votes.voted(i));
  labels.votes = Votes::from_labels(voted, 3);
  CompareOptions options = quick();
  options.methods = {"ts"};
  expect_round_trip(results_of(compare(labels, options), origin()));
}

TEST(RoundTrip, HoldsWhereOptionalPartsAreMissing) {
  Results value = recorded(quick());
  value.evaluation.votes->confusion.clear();
  value.evaluation.votes->confusion_rows.clear();
  value.evaluation.votes->votes_histogram.clear();
  expect_round_trip(value);
  value.evaluation.votes.reset();
  value.evaluation.groups = 7;
  value.protocol.calibration_share.reset();
  value.warnings.clear();
  for (MethodRecord& method : value.splits[0].methods) {
    method.temperature.reset();
    method.held_out = {{}, {}, "a fit failed"};
    method.confidence_map.clear();
    method.error_density.reset();
    method.changed_predictions.reset();
    method.ece_by_chance.reset();
    for (BinRecord& bin : method.reliability) bin.spread.reset();
    for (auto& [name, estimate] : method.metrics) estimate = {};
  }
  value.splits[0].calibration_rows.reset();
  expect_round_trip(value);
}

TEST(RoundTrip, AnInfiniteNumberOfAComparisonIsMissingInResultsAndFile) {
  Comparison comparison = compare(small_data(), quick());
  MethodResult& method = comparison.splits[0].methods.back();
  method.calibrator.stages[0].report.loss = std::numeric_limits<double>::infinity();
  method.estimates[0].standard_error = std::nan("");
  method.evaluation.pointwise_by_entropy[0].standard_error = std::nan("");
  const Results value = results_of(comparison, origin());
  const MethodRecord& record = value.first().methods.back();
  EXPECT_FALSE(record.stages[0].loss.has_value());
  EXPECT_FALSE(record.metrics[0].second.standard_error.has_value());
  EXPECT_FALSE(record.by_entropy[0].standard_error.has_value());
  expect_round_trip(value);
}

TEST(RoundTrip, DoesNotDependOnThreads) {
  CompareOptions several = quick();
  several.seeds = {1, 2, 3};
  const Results value = recorded(several);
  EXPECT_EQ(results_json(value, 1), results_json(value, 3));
}

TEST(RoundTrip, FilesOfEarlierVersionsAreRead) {
  nlohmann::ordered_json json = nlohmann::ordered_json::parse(results_json(recorded(quick())));
  json["protocol"]["selection"].erase("rule");
  for (auto& method : json["splits"][0]["methods"]) {
    method.erase("ece_expected_by_chance");
    method["stages"][0]["stop"] = "rounding floor";
  }
  const Results read = parse_results(json.dump(), "results.json");
  EXPECT_EQ(read.chosen().stages[0].stop, Stop::rounding_floor);
  EXPECT_TRUE(read.protocol.selection_rule.empty());
  EXPECT_FALSE(read.chosen().ece_by_chance.has_value());
}

TEST(RoundTrip, HoldsForAnAblation) {
  AblateOptions options;
  options.studies = {Study::smoothing, Study::size};
  options.shares = {0.5, 1.0};
  options.seeds = {3};
  options.metrics.draws = 0;
  AblationRecord value = ablation_record(ablate(small_data(), options), options,
                                         summarise_annotations(small_data()), origin());
  const std::string text = ablation_json(value);
  const AblationRecord again = parse_ablation(text, value.origin);
  EXPECT_TRUE(again == value);
  EXPECT_EQ(ablation_json(again), text);
}

}  // namespace
}  // namespace credence::report
