// Pools in calibrator files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "credence/error.hpp"
#include "credence/io.hpp"
#include "errors.hpp"
#include "io/calibrator/calibrator_json.hpp"

namespace credence::io {
namespace {

using ::testing::HasSubstr;

Calibrator some_pool() {
  Calibrator pool;
  pool.method = "auto";
  pool.class_count = 3;
  pool.members.push_back({"uncalibrated", 0.25, {{NoTarget{}, Identity{}, {}, {}}}});
  pool.members.push_back({"slts", 0.75, {{Annotators{}, Temperature{}, {0.3}, {}}}});
  Selection selection;
  selection.folds = 5;
  selection.nll = 0.8125;
  selection.standard_error = 0.011;
  selection.baseline = "uncalibrated";
  selection.gain = 0.1;
  selection.gain_error = 0.02;
  selection.harm = 0.000123;
  selection.notes = {"a note"};
  selection.candidates = {{"uncalibrated", 0, 0.9125, 0.01, 0.1, 0.02, 0.25, ""},
                          {"slts", 1, std::nullopt, 0.0, 0.0, 0.0, 0.75, "a problem"}};
  pool.selection = selection;
  return pool;
}

TEST(PoolFile, ReadsBackAsItWasWritten) {
  const Calibrator pool = some_pool();
  const std::string text = calibrator_to_json(pool, {});
  const LoadedCalibrator loaded = calibrator_from_json(text, "pool.json");
  ASSERT_EQ(loaded.calibrator.members.size(), 2u);
  EXPECT_TRUE(loaded.calibrator.stages.empty());
  EXPECT_EQ(loaded.calibrator.members[1].weight, 0.75);
  EXPECT_EQ(loaded.calibrator.members[1].method, "slts");
  EXPECT_EQ(loaded.calibrator.members[1].stages[0].theta, std::vector<double>{0.3});
  ASSERT_TRUE(loaded.calibrator.selection);
  EXPECT_EQ(loaded.calibrator.selection->candidates[1].problem, "a problem");
  EXPECT_EQ(loaded.calibrator.selection->harm, 0.000123);
  // What is written again has the same bytes: nothing was lost.
  EXPECT_EQ(calibrator_to_json(loaded.calibrator, loaded.info), text);
}

TEST(PoolFile, NeedsTheSecondVersionAndOtherFilesStayWithTheFirst) {
  EXPECT_THAT(calibrator_to_json(some_pool(), {}), HasSubstr("\"version\": 2"));
  Calibrator plain = some_pool();
  plain.stages = plain.members[1].stages;
  plain.members.clear();
  plain.selection.reset();
  EXPECT_THAT(calibrator_to_json(plain, {}), HasSubstr("\"version\": 1"));
}

TEST(PoolFile, WeightsThatDoNotAddUpAreRefused) {
  std::string text = calibrator_to_json(some_pool(), {});
  const auto at = text.find("\"weight\": 0.75");
  ASSERT_NE(at, std::string::npos);
  text.replace(at, 14, "\"weight\": 0.5");
  EXPECT_THAT(std::string(test::error_of([&] { calibrator_from_json(text, "pool.json"); }).what()),
              HasSubstr("the weights add up to 0.75; expected 1"));
}

TEST(PoolFile, AMemberWithoutStagesIsRefused) {
  Calibrator pool = some_pool();
  pool.members[0].stages.clear();
  const std::string text = calibrator_to_json(pool, {});
  EXPECT_THAT(std::string(test::error_of([&] { calibrator_from_json(text, "pool.json"); }).what()),
              HasSubstr("members[0].stages: expected at least 1 stage"));
}

TEST(SecondOrderFile, ReadsBackAsItWasWrittenAndNeedsTheSecondVersion) {
  Calibrator plain = some_pool();
  plain.stages = plain.members[1].stages;
  plain.members.clear();
  plain.selection.reset();
  SecondOrder model;
  model.concentration = {0.1, -1.0 / 3.0};
  model.disagreement = {-2.5, 0.7};
  model.rows = 12;
  model.dm_nll = 4.5;
  model.multinomial_nll = 11.25;
  model.observed_disagreement = 0.0765;
  model.concentration_report = {Stop::converged, 7, 4.5, 1e-13, {}};
  plain.second_order = model;
  const std::string text = calibrator_to_json(plain, {});
  EXPECT_THAT(text, HasSubstr("\"version\": 2"));
  const LoadedCalibrator loaded = calibrator_from_json(text, "sure.json");
  ASSERT_TRUE(loaded.calibrator.second_order);
  EXPECT_EQ(loaded.calibrator.second_order->concentration, model.concentration);
  EXPECT_EQ(loaded.calibrator.second_order->disagreement, model.disagreement);
  EXPECT_EQ(loaded.calibrator.second_order->concentration_report.passes, 7);
  EXPECT_EQ(calibrator_to_json(loaded.calibrator, loaded.info), text);
}

TEST(SecondOrderFile, WhatIsNotALineIsRefusedWithItsPlace) {
  Calibrator pool = some_pool();
  pool.second_order = SecondOrder{};
  pool.second_order->disagreement.slope = 0.625;
  const std::string text = calibrator_to_json(pool, {});
  const auto refusal = [&](std::string_view wrong) {
    std::string changed = text;
    changed.replace(changed.find("0.625"), 5, wrong);
    return std::string(test::error_of([&] { calibrator_from_json(changed, "pool.json"); }).what());
  };
  EXPECT_THAT(refusal("1e9"), HasSubstr("second_order.disagreement.slope: 1e+09 is outside"));
  EXPECT_THAT(refusal("null"), HasSubstr("second_order.disagreement.slope"));
  pool.second_order->concentration.intercept = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(calibrator_to_json(pool, {}), Error);
}

}  // namespace
}  // namespace credence::io
