// Calibrated probabilities of rows that are in memory.
#pragma once

#include <cstddef>
#include <string>

#include "credence/aligned_calibrator.hpp"
#include "credence/memory.hpp"

namespace credence::io {

/// Of the rows of `scores` from `first` on, as many as there is room for in `out`, some to each
/// thread. They are checked as by check_scores(); of several bad rows the first is named, as one of
/// `path`. float32 gets what double does, rounded.
void apply_to_array(const AlignedCalibrator& calibrator, const NumberArray& scores, ScoreKind kind,
                    const std::string& path, std::size_t first, MatrixView<double> out,
                    int threads);
void apply_to_array(const AlignedCalibrator& calibrator, const NumberArray& scores, ScoreKind kind,
                    const std::string& path, std::size_t first, MatrixView<float> out, int threads);

}  // namespace credence::io
