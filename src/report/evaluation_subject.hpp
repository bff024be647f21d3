// What is scored: a calibrator that fits the columns of the scores.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "credence/aligned_calibrator.hpp"
#include "credence/evaluation_report.hpp"

namespace credence::report {

/// The calibrator for scores of these classes; without one, the identity.
io::AlignedCalibrator align(std::optional<io::LoadedCalibrator> model,
                            const std::string& model_name, std::size_t classes,
                            const std::vector<std::string>& class_names, ScoreKind kind,
                            const std::string& score_name);

/// `fitted`: it is not the identity that align() made.
Subject subject_of(const io::AlignedCalibrator& aligned, bool fitted, ScoreKind kind);

}  // namespace credence::report
