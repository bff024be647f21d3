// What a careful statistician would say about a comparison before anybody relies on it.
#pragma once

#include <string>
#include <vector>

#include "credence/compare.hpp"

namespace credence::experiment {

std::vector<std::string> warnings(const SplitResult& result, const AnnotationSummary& calibration,
                                  const AnnotationSummary& evaluation, const Dataset& fitted_on);

}  // namespace credence::experiment
