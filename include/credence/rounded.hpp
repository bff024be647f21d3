// Probabilities in float32 that are those in double, rounded.
#pragma once

#include "credence/calibrator.hpp"

namespace credence {

/// As Calibrator::apply to float32, which computes a temperature in single precision; this does
/// not.
void apply_rounded(const Calibrator& calibrator, Scores scores, MatrixView<float> probabilities,
                   int threads = 1);

}  // namespace credence
