// Fits to scores of any size: masked, huge, tiny, unlike, duplicated. CREDENCE_BAD_PROBLEMS sets
// how many are drawn (2,000 take minutes) and CREDENCE_FIRST_BAD_PROBLEM where they begin; problem
// i is always the same.
#include "badly_scaled.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>

namespace credence {
namespace {

/// A number from the environment.
std::size_t setting(const char* name, std::size_t otherwise) {
  const char* wanted = std::getenv(name);
  return wanted != nullptr ? std::strtoul(wanted, nullptr, 10) : otherwise;
}

TEST(BadlyScaled, EveryFitIsAsGoodAsItsSimplerRelativesAndSaysHowItEnded) {
  const std::size_t first = setting("CREDENCE_FIRST_BAD_PROBLEM", 0);
  const std::size_t count = setting("CREDENCE_BAD_PROBLEMS", 120);
  // Many problems come with larger maps and more references.
  const testing_data::Thoroughness thoroughness =
      count >= 500 ? testing_data::Thoroughness{16, 100'000} : testing_data::Thoroughness{};
  testing_data::Outcomes outcomes;
  for (std::size_t i = first; i < first + count; ++i) {
    const testing_data::Problem problem = testing_data::bad_problem(i);
    SCOPED_TRACE("problem " + std::to_string(i) + ", " + problem.kind + ", " +
                 std::to_string(problem.scores.rows()) + " x " +
                 std::to_string(problem.scores.cols()) +
                 (problem.gauge == Gauge::raw ? ", raw" : ""));
    testing_data::expect_sound_fits(problem, thoroughness, outcomes);
  }
  for (const auto& [map, stops] : outcomes) {
    std::cout << map << ":";
    for (const auto& [stop, times] : stops) std::cout << " " << stop << " " << times << ",";
    std::cout << "\n";
  }
}

}  // namespace
}  // namespace credence
