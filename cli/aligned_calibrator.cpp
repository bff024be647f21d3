#include "aligned_calibrator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace credence::cli {
namespace {

/// Score column of each of the calibrator's classes.
std::vector<std::size_t> match(const std::vector<std::string>& model,
                               const std::vector<std::string>& scores,
                               const std::string& model_path, std::string_view score_path) {
  std::unordered_map<std::string_view, std::size_t> column;
  for (std::size_t k = 0; k < scores.size(); ++k) column.emplace(scores[k], k);
  std::vector<std::size_t> columns;
  for (const std::string& name : model) {
    const auto found = column.find(name);
    if (found == column.end()) {
      throw Error(ErrorCode::model,
                  fmt::format("{} was fitted for class '{}', which {} does not have", model_path,
                              name, score_path),
                  fmt::format("its classes are {}; name the score columns with --score-classes",
                              fmt::join(model, ", ")));
    }
    columns.push_back(found->second);
  }
  return columns;
}

}  // namespace

AlignedCalibrator::AlignedCalibrator(io::LoadedCalibrator loaded, std::string model_path,
                                     std::size_t columns, const std::vector<std::string>& classes,
                                     ScoreKind kind, std::string_view score_path)
    : loaded_(std::move(loaded)) {
  const Calibrator& model = loaded_.calibrator;
  if (model.class_count != columns) {
    throw Error(ErrorCode::model,
                fmt::format("{} was fitted for {} classes, {} has {} columns", model_path,
                            model.class_count, score_path, columns),
                "apply it to scores of the same model, or fit a calibrator to these");
  }
  if (model.gauge == Gauge::raw && loaded_.info.score_kind != to_string(kind)) {
    throw Error(ErrorCode::model,
                fmt::format("{} was fitted to raw {}, {} is given as {}", model_path,
                            loaded_.info.score_kind, score_path, to_string(kind)),
                fmt::format("give scores of the same kind, or fit again without --gauge raw"));
  }
  output_classes_ = classes.empty() ? model.classes : classes;
  if (classes.empty() || model.classes.empty()) {
    matched_ = "assumed";
    return;
  }
  if (classes == model.classes) {
    matched_ = "in the same order";
    return;
  }
  matched_ = "by name";
  column_of_ = match(model.classes, classes, model_path, score_path);
}

void AlignedCalibrator::apply(Scores scores, MutRows probabilities, int threads) {
  const Calibrator& model = loaded_.calibrator;
  if (column_of_.empty()) return model.apply(scores, probabilities, threads);
  const std::size_t rows = scores.rows(), columns = scores.cols();
  ordered_.resize(rows * columns);
  result_.resize(rows * columns);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t k = 0; k < columns; ++k) ordered_[i * columns + k] = scores(i, column_of_[k]);
  }
  model.apply(Scores(ordered_.data(), rows, columns), MutRows(result_.data(), rows, columns),
              threads);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t k = 0; k < columns; ++k) {
      probabilities(i, column_of_[k]) = result_[i * columns + k];
    }
  }
}

}  // namespace credence::cli
