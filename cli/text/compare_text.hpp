// A comparison as the terminal shows it.
#pragma once

#include <cstddef>
#include <string>

#include "credence/comparison_run.hpp"

namespace credence::cli {

/// As much as fits the screen; everything that is usual where there is none.
std::string fitted_text(const report::ComparisonRun& run, bool full);
/// Which calibrator is which.
std::string calibrators_in_words(const report::ComparisonRun& run, std::size_t rows);

}  // namespace credence::cli
