// The promise of the intervals over a grid of classes, votes, models and sizes. A few cells with
// every run of the tests; all of them, 500 repetitions each, with CREDENCE_STUDY=1, which also
// prints the table:
//   CREDENCE_STUDY=1 build/release/tests/statistical_tests --gtest_filter='*IntervalStudy*'
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "credence/bootstrap.hpp"
#include "statistical/simulated.hpp"

namespace credence {
namespace {

using simulated::draw;
using simulated::Sample;
using simulated::World;

constexpr std::array kNames{"nll", "brier", "ece2_debiased", "ece_expected"};
constexpr std::size_t kBinnedMagnitude = 3;

struct Cell {
  std::size_t classes;
  int votes;
  double sharpness;  ///< the model says softmax(sharpness * log q); 1 is perfect calibration
  std::size_t rows;
  IntervalKind kind;
};

void PrintTo(const Cell& cell, std::ostream* out) {
  *out << cell.classes << " classes, " << cell.votes << " votes, sharpness " << cell.sharpness
       << ", " << cell.rows << " rows";
}

bool whole_study() { return std::getenv("CREDENCE_STUDY") != nullptr; }

/// Cells are simulated apart, so that one unlucky sample does not speak for many of them.
std::uint64_t seed_of(const Cell& cell) {
  const auto sharpness = static_cast<std::uint64_t>(10.0 * cell.sharpness);
  return 1000 *
         (((cell.rows * 100 + cell.classes) * 100 + static_cast<std::uint64_t>(cell.votes)) * 100 +
          sharpness);
}

World world(const Cell& cell) {
  return {.classes = cell.classes,
          .votes = cell.votes,
          .sharpness = cell.sharpness,
          .noise = 0.0,
          .spread = cell.classes == 3 ? 1.2 : 1.5};
}

/// The values that endlessly many examples would show, of which each has so many votes.
std::array<double, 4> truth(const Cell& cell) {
  const Sample all = draw(world(cell), 300'000, 999'983);
  // Votes that are the very chances leave no noise of votes.
  const Evaluation scored =
      evaluate(all.p.view(), Votes::from_counts(all.truth.view()), {.draws = 0});
  const double brier = *scored["brier"], disagreement = *scored["brier_reader"] - brier;
  const bool calibrated = cell.sharpness == 1.0;
  double square = 0.0;
  for (const ReliabilityBin& bin : scored.reliability) {
    const double gap = bin.count == 0 ? 0.0 : bin.confidence - bin.agreement;
    square += static_cast<double>(bin.count) / 300'000.0 * gap * gap;
  }
  return {*scored["nll"], brier + disagreement / cell.votes, calibrated ? 0.0 : square,
          calibrated ? 0.0 : *scored["ece_expected"]};
}

class IntervalStudy : public testing::TestWithParam<Cell> {};

TEST_P(IntervalStudy, CoverageIsWhatTheLevelPromises) {
  const Cell& cell = GetParam();
  const int repetitions = whole_study() ? 500 : 200;
  const std::array<double, 4> known = truth(cell);
  std::array<int, 4> below{}, above{};
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    const auto seed = seed_of(cell) + static_cast<std::uint64_t>(repetition);
    const Sample sample = draw(world(cell), cell.rows, seed);
    const Votes votes = sample.votes();
    const Evaluation scored = evaluate(sample.p.view(), votes, {.draws = 0, .keep_rows = true});
    const BootstrapResult found = bootstrap(
        {&scored, 1}, {}, {}, {.resamples = 599, .seed = seed, .kind = cell.kind, .threads = 1});
    for (const Estimate& estimate : found.estimates.front()) {
      for (std::size_t m = 0; m < kNames.size(); ++m) {
        if (estimate.name != kNames[m]) continue;
        ASSERT_TRUE(estimate.low && estimate.high) << estimate.name;
        above[m] += known[m] > *estimate.high;
        below[m] += known[m] < *estimate.low;
      }
    }
  }
  // 95 % within half a percent, and three standard deviations of the count (0.97 % for 500
  // repetitions, 1.54 % for 200): the study looks at some 200 of them.
  const double chance = 3.0 * (whole_study() ? 0.97 : 1.54);
  for (std::size_t m = 0; m < kNames.size(); ++m) {
    const double covered = 100.0 - 100.0 * (below[m] + above[m]) / repetitions;
    EXPECT_GE(covered, 95.0 - 0.5 - chance) << kNames[m];
    // The interval of a magnitude ends at 0 and reaches up to a value that is too large.
    if (m == kBinnedMagnitude && cell.sharpness == 1.0) continue;
    EXPECT_LE(covered, 95.0 + 0.5 + chance) << kNames[m];
  }
  if (!whole_study()) return;
  std::printf("| %zu | %d | %g | %zu |", cell.classes, cell.votes, cell.sharpness, cell.rows);
  for (std::size_t m = 0; m < kNames.size(); ++m) {
    std::printf(" %.1f (%d, %d) |", 100.0 - 100.0 * (below[m] + above[m]) / repetitions, below[m],
                above[m]);
  }
  std::printf("\n");
}

std::vector<Cell> cells() {
  constexpr auto kPercentile = IntervalKind::percentile;
  if (!whole_study()) {
    return {{3, 1, 1.0, 100, kPercentile},
            {3, 5, 2.0, 100, kPercentile},
            {10, 2, 1.0, 100, kPercentile},
            {10, 1, 1.5, 200, kPercentile},
            {10, 2, 2.0, 100, IntervalKind::studentised}};
  }
  std::vector<Cell> all;
  for (const std::size_t rows : {60, 100, 200, 500}) {
    for (const std::size_t classes : {3, 10}) {
      for (const int votes : {1, 2, 5}) {
        for (const double sharpness : {1.0, 1.5, 2.0}) {
          all.push_back({classes, votes, sharpness, rows, kPercentile});
        }
      }
    }
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Simulated, IntervalStudy, testing::ValuesIn(cells()));

}  // namespace
}  // namespace credence
