// Intervals keep their promise: over 500 repetitions a 95 % interval covers the truth between 93
// and 97 % of the times, which is two standard deviations (0.97 % each) about what is promised.
// Seeds are fixed, so a test passes always or never.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "credence/bootstrap.hpp"
#include "statistical/simulated.hpp"

namespace credence {
namespace {

using simulated::draw;
using simulated::Sample;
using simulated::World;

constexpr int kRepetitions = 500;
constexpr const char* kMetrics[] = {"nll", "brier", "ece_expected", "ece2_debiased"};

/// The value in the population. ece_expected over few rows is biased upwards by the chance that
/// |sum| cannot cancel, so the honest truth is its value over very many rows; the model is
/// over-confident enough for that bias to be far below the width of the intervals.
std::map<std::string, double> population(const World& world) {
  constexpr std::size_t kRows = 400'000;
  const Sample all = draw(world, kRows, 999'983);
  const Evaluation scored = evaluate(all.p.view(), all.votes(), {.draws = 0});
  std::map<std::string, double> truth;
  for (const char* name : kMetrics) truth[name] = *scored[name];
  return truth;
}

struct Setting {
  const char* name;
  World world;
  std::size_t rows;
  bool grouped;
  IntervalKind kind;
};

void PrintTo(const Setting& setting, std::ostream* out) { *out << setting.name; }

class Coverage : public testing::TestWithParam<Setting> {};

TEST_P(Coverage, IsWhatTheLevelPromises) {
  const Setting& setting = GetParam();
  const std::map<std::string, double> truth = population(setting.world);
  std::map<std::string, int> covered;
  for (int repetition = 0; repetition < kRepetitions; ++repetition) {
    const Sample sample = draw(setting.world, setting.rows, static_cast<std::uint64_t>(repetition));
    const Votes votes = sample.votes();
    const Evaluation scored = evaluate(sample.p.view(), votes, {.draws = 0, .keep_rows = true});
    const BootstrapResult found = bootstrap(
        {&scored, 1},
        setting.grouped ? std::span<const std::uint32_t>(sample.groups)
                        : std::span<const std::uint32_t>(),
        {},
        {.resamples = 599, .seed = static_cast<std::uint64_t>(repetition), .kind = setting.kind});
    for (const Estimate& estimate : found.estimates.front()) {
      const auto known = truth.find(std::string(estimate.name));
      if (known == truth.end()) continue;
      ASSERT_TRUE(estimate.low && estimate.high) << estimate.name;
      covered[known->first] += *estimate.low <= known->second && known->second <= *estimate.high;
    }
  }
  for (const char* name : kMetrics) {
    EXPECT_GE(covered[name], 465) << name;
    EXPECT_LE(covered[name], 485) << name;
  }
}

constexpr World kRows{};
constexpr World kGroups{.shared = 0.8, .group_size = 5};

INSTANTIATE_TEST_SUITE_P(
    Simulated, Coverage,
    testing::Values(Setting{"percentile_rows", kRows, 600, false, IntervalKind::percentile},
                    Setting{"studentised_rows", kRows, 600, false, IntervalKind::studentised},
                    Setting{"percentile_groups", kGroups, 1000, true, IntervalKind::percentile},
                    Setting{"studentised_groups", kGroups, 1000, true, IntervalKind::studentised}),
    [](const auto& param) { return std::string(param.param.name); });

TEST(Coverage, IsLostWhenGroupsAreIgnored) {
  constexpr World kAlike{.votes = 25, .noise = 0.1, .shared = 0.95, .group_size = 10};
  const double truth = population(kAlike).at("nll");
  constexpr int kRuns = 200;
  int covered[2] = {};
  for (int run = 0; run < kRuns; ++run) {
    const Sample sample = draw(kAlike, 1000, static_cast<std::uint64_t>(run));
    const Votes votes = sample.votes();
    const Evaluation scored = evaluate(sample.p.view(), votes, {.draws = 0, .keep_rows = true});
    const std::span<const std::uint32_t> none;
    for (const auto groups : {none, std::span<const std::uint32_t>(sample.groups)}) {
      const BootstrapResult found = bootstrap({&scored, 1}, groups, {}, {.resamples = 199});
      for (const Estimate& estimate : found.estimates.front()) {
        if (estimate.name != "nll") continue;
        covered[groups.empty() ? 0 : 1] += *estimate.low <= truth && truth <= *estimate.high;
      }
    }
  }
  // Examples that come ten at a time carry less than their number says: far fewer than 95 %.
  EXPECT_LT(covered[0], 160);
  // By groups it is not 95 % either: 100 groups with skewed losses cover 92 % (459 of 500 at 999
  // resamples), a known shortfall of the percentile form. The bound is 3.5 standard deviations
  // below that.
  EXPECT_GT(covered[1], 170);
}

TEST(PairedDifferences, UnderTheNullAreCalledRealAsOftenAsTheLevelSays) {
  // Two models of one making, each with noise of its own: their expected scores are equal.
  std::map<std::string, int> called;
  for (int repetition = 0; repetition < kRepetitions; ++repetition) {
    const auto seed = static_cast<std::uint64_t>(repetition);
    const Sample first = draw(kRows, 600, seed), second = draw(kRows, 600, seed, 1);
    const Votes votes = first.votes();
    const MetricOptions keep{.draws = 0, .keep_rows = true};
    const Evaluation scored[] = {evaluate(first.p.view(), votes, keep),
                                 evaluate(second.p.view(), votes, keep)};
    const std::size_t reference[] = {0};
    const BootstrapResult found =
        bootstrap(scored, {}, reference, {.resamples = 599, .seed = seed});
    for (const Estimate& difference : found.differences[0][1]) {
      if (difference.low && (*difference.low > 0.0 || *difference.high < 0.0)) {
        ++called[std::string(difference.name)];
      }
    }
  }
  for (const char* name : kMetrics) {
    EXPECT_GE(called[name], 15) << name;
    EXPECT_LE(called[name], 35) << name;
  }
}

TEST(PairedDifferences, AreNarrowerThanTheTwoIntervalsSuggest) {
  const Sample first = draw(kRows, 600, 7), second = draw({.sharpness = 2.4}, 600, 7);
  const Votes votes = first.votes();
  const MetricOptions keep{.draws = 0, .keep_rows = true};
  const Evaluation scored[] = {evaluate(first.p.view(), votes, keep),
                               evaluate(second.p.view(), votes, keep)};
  const std::size_t reference[] = {0};
  const BootstrapResult found = bootstrap(scored, {}, reference, {});
  for (std::size_t m = 0; m < found.estimates[0].size(); ++m) {
    if (found.estimates[0][m].name != "nll") continue;
    EXPECT_LT(5.0 * *found.differences[0][1][m].standard_error,
              *found.estimates[0][m].standard_error);
  }
}

}  // namespace
}  // namespace credence
