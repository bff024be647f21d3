// Proof beside an exported model: rows, and the lines that compare them where the model will run.
#pragma once

#include <string>

#include "credence/export.hpp"

namespace credence::cli {

/// "calibrator.onnx" -> "calibrator.check.npz".
std::string check_path(const std::string& model_path);
/// The script that compares the two, beside them.
std::string check_script_path(const std::string& model_path);

/// Up to 64 rows of the file, evenly spread, in the order of the calibrator's classes; generated
/// rows when no file is named.
Matrix<double> check_scores_from(const std::string& path, const Calibrator& calibrator,
                                 ScoreKind kind);

/// What the snippets need to know of a model.
struct CheckedModel {
  std::string path, check_path;
  std::string scores, output;  ///< tensors
  bool inside_network = false;
  exporter::Precision precision = exporter::Precision::float32;
  exporter::Result result = exporter::Result::probs;
  std::vector<std::size_t> shape;  ///< of the scores in the archive
};

/// Lines of Python, and of JavaScript (empty where it has no way), that print the largest
/// difference from the engine.
/// python_lines as a script that finds both files beside itself, whatever folder it is run from.
std::string check_script(const CheckedModel& model);
std::string python_lines(const CheckedModel& model);
std::string javascript_lines(const CheckedModel& model);
/// Below what the difference stays.
std::string_view tolerance(exporter::Precision precision);

}  // namespace credence::cli
