// What a careful statistician would say about a comparison before anybody relies on it.
#pragma once

#include <string>
#include <vector>

#include "credence/compare.hpp"

namespace credence::experiment {

/// `unseen`: how many classes nobody chose on the calibration rows.
std::vector<std::string> warnings(const SplitResult& result, const AnnotationSummary& calibration,
                                  const AnnotationSummary& evaluation, std::size_t unseen);

}  // namespace credence::experiment
