// What fit, apply and evaluate do with the scores of several models.
#pragma once

#include <string>

#include "credence/evaluation_report.hpp"
#include "credence/fit.hpp"
#include "credence/panel_files.hpp"
#include "options/dataset_options.hpp"
#include "text/output.hpp"

namespace credence::cli {

/// Fits them, writes the file and says what it is made of.
void fit_several(const MethodSpec& method, const DatasetOptions& data, const FitOptions& how,
                 const std::string& output, Format format);

/// An Error where the data are of one model and the calibrator of several, or the reverse.
void check_models(const io::AnyCalibrator& calibrator, const DatasetOptions& data,
                  const std::string& origin);

/// Probabilities for the score files, all in memory.
struct PanelRows {
  Matrix<double> probabilities;
  std::vector<std::string> ids, classes;
};
PanelRows apply_several(const io::LoadedPanel& loaded, const DatasetOptions& data,
                        const std::string& origin, int threads);

report::EvaluationResult evaluate_several(const io::LoadedPanel& loaded, const DatasetOptions& data,
                                          const std::string& origin,
                                          const report::EvaluationOptions& how);

}  // namespace credence::cli
