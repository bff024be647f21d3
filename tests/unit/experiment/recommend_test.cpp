#include "experiment/recommend.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "credence/compare.hpp"
#include "map/top_label.hpp"
#include "synthetic.hpp"

namespace credence::experiment {
namespace {

using testing::HasSubstr;

/// Held-out losses about `mean` that differ from those of others by +-`wobble` in turn: the mean of
/// a difference between two wobbles w and 0 over 100 rows has a standard error of about w / 10.
HeldOut losses(double mean, double wobble, std::size_t rows = 100) {
  HeldOut out;
  for (std::size_t i = 0; i < rows; ++i) out.nll.push_back(mean + (i % 2 == 0 ? wobble : -wobble));
  return out;
}

TEST(Recommend, KeepsTheScoresAsTheyAreWhenALeadIsBelowItsStandardError) {
  const HeldOut plain = losses(0.500, 0.0), rich = losses(0.496, 0.09);
  const std::vector<Candidate> both{{.name = "uncalibrated", .held_out = &plain},
                                    {.name = "ats", .parameters = 5, .held_out = &rich}};
  const Recommendation found = recommend(both, {});
  EXPECT_EQ(found.method, "uncalibrated");
  EXPECT_EQ(found.why,
            "nll 0.5000; kept simple because the lead of ats, 0.0040, is below its standard "
            "error, 0.0090");
}

TEST(Recommend, TakesTheTemperatureForOneStandardErrorAndARicherMapForTwo) {
  const HeldOut plain = losses(0.500, 0.0), ahead = losses(0.486, 0.09);  // a lead of 1.55
  const std::vector<Candidate> one{{.name = "uncalibrated", .held_out = &plain},
                                   {.name = "ts", .parameters = 1, .held_out = &ahead}};
  EXPECT_EQ(recommend(one, {}).method, "ts");
  EXPECT_EQ(recommend(one, {}).why, "lowest nll (0.4860)");
  const std::vector<Candidate> rich{{.name = "uncalibrated", .held_out = &plain},
                                    {.name = "ats", .parameters = 5, .held_out = &ahead}};
  EXPECT_EQ(recommend(rich, {}).method, "uncalibrated");
  EXPECT_THAT(recommend(rich, {}).why, HasSubstr("is below twice its standard error, 0.0090"));
  const HeldOut far = losses(0.480, 0.09);  // 2.2
  const std::vector<Candidate> sure{{.name = "uncalibrated", .held_out = &plain},
                                    {.name = "ats", .parameters = 5, .held_out = &far}};
  EXPECT_EQ(recommend(sure, {}).method, "ats");
}

TEST(Recommend, AmongRicherMapsOneStandardErrorDecides) {
  const HeldOut plain = losses(0.900, 0.0), diagonal = losses(0.500, 0.0);
  const HeldOut ahead = losses(0.486, 0.09), barely = losses(0.496, 0.09);
  for (const bool pays : {true, false}) {
    const std::vector<Candidate> all{
        {.name = "uncalibrated", .held_out = &plain},
        {.name = "soft-platt", .parameters = 6, .held_out = &diagonal},
        {.name = "dirichlet-soft", .parameters = 12, .held_out = pays ? &ahead : &barely}};
    EXPECT_EQ(recommend(all, {}).method, pays ? "dirichlet-soft" : "soft-platt");
  }
}

TEST(Recommend, OfSeveralTemperaturesOnlyOneIsReachedByOneStandardError) {
  // Seven temperatures are seven chances to be lucky: those beside the first need two.
  const HeldOut plain = losses(0.500, 0.0), behind = losses(0.501, 0.0),
                lucky = losses(0.486, 0.09);
  const std::vector<Candidate> all{
      {.name = "uncalibrated", .held_out = &plain},
      {.name = "fixed-ls", .parameters = 1, .fitted_to_score = false, .held_out = &lucky},
      {.name = "slts", .parameters = 1, .held_out = &behind}};
  EXPECT_EQ(recommend(all, {}).method, "uncalibrated");
  // Where it is the only one, it is that one.
  EXPECT_EQ(recommend(std::span(all).first(2), {}).method, "fixed-ls");
}

TEST(Recommend, StopsAtTheTemperatureThatPaysBelowAnUnsureLeader) {
  // The leader is not surely ahead of anything, uncalibrated included; the temperature is.
  const HeldOut plain = losses(0.60, 0.0), one = losses(0.52, 0.01), rich = losses(0.50, 3.0);
  const std::vector<Candidate> all{{.name = "dirichlet-soft", .parameters = 12, .held_out = &rich},
                                   {.name = "uncalibrated", .held_out = &plain},
                                   {.name = "slts", .parameters = 1, .held_out = &one}};
  const Recommendation found = recommend(all, {});
  EXPECT_EQ(found.method, "slts");
  EXPECT_THAT(found.why, HasSubstr("kept simple because the lead of dirichlet-soft, 0.0200,"));
}

TEST(Recommend, OfEqualSizePrefersTheOneFittedToWhatIsMeasured) {
  const HeldOut plain = losses(0.60, 0.0), voted = losses(0.510, 0.05),
                annotators = losses(0.512, 0.0);
  const std::vector<Candidate> all{
      {.name = "uncalibrated", .held_out = &plain},
      {.name = "ts", .parameters = 1, .fitted_to_score = false, .held_out = &voted},
      {.name = "slts", .parameters = 1, .held_out = &annotators}};
  const Recommendation found = recommend(all, {});
  EXPECT_EQ(found.method, "slts");
  EXPECT_THAT(found.why, HasSubstr("preferred for its target because the lead of ts"));
}

TEST(Recommend, NeverTakesAMapThatCanGiveProbabilityZeroAndSaysSo) {
  const HeldOut plain = losses(0.60, 0.0), steps = losses(0.30, 0.0), one = losses(0.50, 0.0);
  const std::vector<Candidate> all{
      {.name = "uncalibrated", .held_out = &plain},
      {.name = "hist-bin", .parameters = 0, .can_give_zero = true, .held_out = &steps},
      {.name = "ts", .parameters = 1, .held_out = &one}};
  const Recommendation found = recommend(all, {});
  EXPECT_EQ(found.method, "ts");
  EXPECT_THAT(found.why, HasSubstr("hist-bin (nll 0.3000) is never recommended"));
}

TEST(Recommend, LeavesOutWhatCouldNotBeHeldOut) {
  const HeldOut plain = losses(0.60, 0.0), failed{.nll = {}, .problem = "no votes in a fold"};
  const std::vector<Candidate> all{{.name = "slts", .parameters = 1, .held_out = &failed},
                                   {.name = "uncalibrated", .held_out = &plain}};
  EXPECT_EQ(recommend(all, {}).method, "uncalibrated");
  const Recommendation none = recommend(std::span(all).first(1), {});
  EXPECT_EQ(none.method, "");
  EXPECT_THAT(none.why, HasSubstr("no method could be cross-validated"));
}

TEST(Recommend, CountsRowsOfAGroupAsOneWhenItJudgesALead) {
  // Half the groups gain 0.3, half lose 0.2, all rows of a group alike: 100 rows would be sure of
  // the mean of 0.05 (standard error 0.025), 4 groups are not (0.14).
  const HeldOut plain = losses(0.60, 0.0);
  HeldOut one = plain;
  std::vector<std::uint32_t> groups(100);
  for (std::size_t i = 0; i < 100; ++i) {
    groups[i] = static_cast<std::uint32_t>(i / 25);
    one.nll[i] += groups[i] % 2 == 0 ? -0.3 : 0.2;
  }
  const std::vector<Candidate> both{{.name = "uncalibrated", .held_out = &plain},
                                    {.name = "ts", .parameters = 1, .held_out = &one}};
  EXPECT_EQ(recommend(both, {}).method, "ts");
  EXPECT_EQ(recommend(both, groups).method, "uncalibrated");
}

TEST(Recommend, AsksEveryStageOfAMethodForZerosAndTargets) {
  const std::vector<MethodSpec> methods{parse_method("uncalibrated"), parse_method("slts"),
                                        parse_method("ts"), parse_method("hist-bin then ts"),
                                        parse_method("annotators+isotonic")};
  const Dataset data = testing_data::make_synthetic(60, 3).data;
  std::vector<Calibrator> fitted;
  std::vector<const Calibrator*> pointers;
  for (const MethodSpec& method : methods) fitted.push_back(fit(method, data));
  for (const Calibrator& one : fitted) pointers.push_back(&one);
  const std::vector<HeldOut> held_out(methods.size());
  const auto found = candidates(methods, pointers, held_out, Evidence::distributions);
  const std::vector<bool> zero{false, false, false, true, true};
  const std::vector<bool> fitted_to_score{true, true, false, false, true};
  for (std::size_t j = 0; j < methods.size(); ++j) {
    EXPECT_EQ(found[j].can_give_zero, zero[j]) << methods[j].name;
    EXPECT_EQ(found[j].fitted_to_score, fitted_to_score[j]) << methods[j].name;
  }
  // Without several votes the one label is what nll is measured against.
  const auto voted = candidates(methods, pointers, held_out, Evidence::voted);
  EXPECT_TRUE(voted[2].fitted_to_score);
  EXPECT_EQ(found[0].parameters, 0U);
  EXPECT_EQ(found[1].parameters, 1U);
}

/// Two classes, one vote each. The model is sure of 30 rows and right, but for row 7 when one
/// disagrees; it leans to a side on 30 others, where votes are half and half.
Dataset nearly_unanimous(bool one_disagrees) {
  Matrix<float> scores(60, 2);
  Matrix<double> counts(60, 2);
  for (std::size_t i = 0; i < 60; ++i) {
    scores(i, 0) = i < 30 ? 3.0f : 1.0f;
    counts(i, 0) = i < 30 || i % 2 == 0 ? 1.0 : 0.0;
    counts(i, 1) = 1.0 - counts(i, 0);
  }
  if (one_disagrees) std::swap(counts(7, 0), counts(7, 1));
  const Dataset data =
      make_dataset(scores.view(), ScoreKind::logits, Votes::from_counts(counts.view()));
  std::vector<std::size_t> all(60);
  for (std::size_t i = 0; i < 60; ++i) all[i] = i;
  return data.select(all);
}

TEST(CrossValidation, CountsAHeldOutZeroAsInfiniteWithOneThreadOrMany) {
  const Dataset data = nearly_unanimous(true);
  for (const char* name : {"hist-bin", "voted+isotonic"}) {
    const std::vector<MethodSpec> methods{parse_method(name)};
    const Calibrator whole = fit(methods[0], data);
    const Calibrator* start = &whole;
    for (const int threads : {1, 3}) {
      const HeldOut found = cross_validate(methods, data, {&start, 1}, 5, {}, threads, [] {})[0];
      EXPECT_EQ(found.problem,
                "1 held-out example got probability 0 for a class that somebody chose")
          << name;
    }
  }
}

TEST(Compare, NeverRecommendsStepsThoughNoHeldOutRowMeetsTheirZero) {
  // Confident rows are unanimous on the calibration side, so steps reach 1 there and held-out nll
  // is 0 on them: the lowest of all. One evaluation row disagrees, and its nll is infinite.
  CompareOptions options;
  options.methods = {"hist-bin", "voted+isotonic", "hist-bin then ts"};
  options.bootstrap.resamples = 0;
  options.metrics.draws = 1;
  const Comparison comparison = compare(nearly_unanimous(false), nearly_unanimous(true), options);
  const SplitResult& split = comparison.splits[0];
  EXPECT_LT(*split.method("hist-bin").cross_validation.nll,
            *split.method("ts").cross_validation.nll);
  EXPECT_GT(split.method("hist-bin").evaluation.infinite_nll_rows, 0U);
  EXPECT_TRUE(split.method(split.recommended).evaluation["nll"].has_value());
  for (const Stage& stage : split.method(split.recommended).calibrator.stages) {
    EXPECT_FALSE(map::can_give_zero(stage.map)) << split.recommended;
  }
  EXPECT_THAT(split.why, HasSubstr("never recommended"));
}

}  // namespace
}  // namespace credence::experiment
