// The shortest way through a calibrator, for callers that serve one row at a time.
#pragma once

#include "credence/calibrator.hpp"

namespace credence::fit_detail {

/// What Calibrator::apply does to one row, unchecked: the calibrator has stages, `scores` as many
/// finite numbers as it has classes, and `probabilities` room for as many. They may be the same.
void apply_row(const Calibrator& calibrator, const float* scores, float* probabilities);
void apply_row(const Calibrator& calibrator, const float* scores, double* probabilities);

}  // namespace credence::fit_detail
