// Fits to scores of any size: masked, huge, tiny, unlike, duplicated. CREDENCE_BAD_PROBLEMS sets
// how many are drawn (2,000 take minutes); problem i is the same whatever their number.
#include "badly_scaled.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>

namespace credence {
namespace {

std::size_t problems() {
  const char* wanted = std::getenv("CREDENCE_BAD_PROBLEMS");
  return wanted != nullptr ? std::strtoul(wanted, nullptr, 10) : 120;
}

TEST(BadlyScaled, EveryFitIsAsGoodAsItsSimplerRelativesAndSaysHowItEnded) {
  testing_data::Outcomes outcomes;
  for (std::size_t i = 0; i < problems(); ++i) {
    const testing_data::Problem problem = testing_data::bad_problem(i);
    SCOPED_TRACE("problem " + std::to_string(i) + ", " + problem.kind + ", " +
                 std::to_string(problem.scores.rows()) + " x " +
                 std::to_string(problem.scores.cols()) +
                 (problem.gauge == Gauge::raw ? ", raw" : ""));
    testing_data::expect_sound_fits(problem, true, outcomes);
  }
  for (const auto& [map, stops] : outcomes) {
    std::cout << map << ":";
    for (const auto& [stop, count] : stops) std::cout << " " << stop << " " << count << ",";
    std::cout << "\n";
  }
}

}  // namespace
}  // namespace credence
