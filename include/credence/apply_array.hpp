// Calibrated probabilities of rows that are in memory.
#pragma once

#include <cstddef>
#include <string>

#include "credence/aligned_calibrator.hpp"
#include "credence/memory.hpp"

namespace credence::io {

/// Fills `out` with the calibrated probabilities of rows [first, first + out.rows()), shared out
/// among the threads; float32 gets what double does, rounded. The rows are checked as by
/// check_scores(); of several bad ones the first is named, as a row of `path`. Scores in one
/// column, which stand for two classes, have to be spelled out.
void apply_to_array(const AlignedCalibrator& calibrator, const NumberArray& scores, ScoreKind kind,
                    const std::string& path, std::size_t first, MatrixView<double> out,
                    int threads);
void apply_to_array(const AlignedCalibrator& calibrator, const NumberArray& scores, ScoreKind kind,
                    const std::string& path, std::size_t first, MatrixView<float> out, int threads);

}  // namespace credence::io
