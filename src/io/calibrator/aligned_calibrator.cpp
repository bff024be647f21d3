#include "credence/aligned_calibrator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "credence/rounded.hpp"
#include "io/scores/two_classes.hpp"
#include "io/source/vote_facts.hpp"

namespace credence::io {
namespace {

std::string list(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 12;
  const std::size_t shown = std::min(names.size(), kMost);
  std::string text = fmt::format(
      "{}", fmt::join(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(shown), ", "));
  if (shown < names.size()) text += fmt::format(", ... ({} in all)", names.size());
  return text;
}

[[noreturn]] void refuse_names(const std::vector<std::string>& model,
                               const std::vector<std::string>& scores,
                               const std::string& model_path, std::string_view score_path) {
  throw Error(ErrorCode::model,
              fmt::format("{} was fitted for the classes {}; those of {} are {}", model_path,
                          list(model), score_path, list(scores)),
              "names must be equal, ignoring case; name the score columns with ‹score_classes›");
}

}  // namespace

AlignedCalibrator::AlignedCalibrator(LoadedCalibrator loaded, std::string model_path,
                                     std::size_t columns, const std::vector<std::string>& named,
                                     ScoreKind kind, std::string_view score_path)
    : loaded_(std::move(loaded)) {
  const Calibrator& model = loaded_.calibrator;
  if (model.class_count != columns) {
    throw Error(ErrorCode::model,
                fmt::format("{} was fitted for {} classes, {} has scores for {}", model_path,
                            model.class_count, score_path, columns),
                columns == 2
                    ? "apply it to scores of the same model (a file with one column has "
                      "scores for two classes), or fit a calibrator to these"
                    : "apply it to scores of the same model, or fit a calibrator to these");
  }
  const std::vector<std::string> classes =
      is_single_name(named) ? two_names(named, model.classes) : named;
  if (model.gauge == Gauge::raw && loaded_.info.score_kind != to_string(kind)) {
    throw Error(ErrorCode::model,
                fmt::format("{} was fitted to raw {}, {} is given as {}", model_path,
                            loaded_.info.score_kind, score_path, to_string(kind)),
                "give scores of the same kind, or fit again without ‹gauge=raw›");
  }
  output_classes_ = classes.empty() ? model.classes : classes;
  if (classes.empty() || model.classes.empty()) {
    matched_ = "assumed";
    return;
  }
  column_of_ = positions_by_name(model.classes, classes);
  if (column_of_.empty()) {
    if (!are_numbered(classes) && !are_numbered(model.classes)) {
      refuse_names(model.classes, classes, model_path, score_path);
    }
    if (are_numbered(classes)) output_classes_ = model.classes;
    matched_ = "assumed";
    return;
  }
  matched_ = "by name";
  if (std::ranges::is_sorted(column_of_)) {
    matched_ = "in the same order";
    column_of_.clear();
  }
}

CalibratorInfo calibrator_info(const Dataset& data, ScoreKind kind, std::uint64_t seed) {
  return calibrator_info(full_facts_of(data), kind, seed);
}

CalibratorInfo calibrator_info(const DataFacts& facts, ScoreKind kind, std::uint64_t seed) {
  return {.fingerprint = facts.fingerprint,
          .rows = facts.rows,
          .score_kind = std::string(to_string(kind)),
          .evidence = std::string(to_string(facts.evidence)),
          .seed = seed,
          .votes_per_example = facts.votes_per_example,
          .sketch = facts.sketch};
}

double mean_votes(const Votes& votes) {
  VoteFacts found;
  found.add(votes);
  return found.mean();
}

void AlignedCalibrator::apply(Scores scores, MutRows probabilities, int threads) const {
  const Calibrator& model = loaded_.calibrator;
  if (column_of_.empty()) return model.apply(scores, probabilities, threads);
  const std::size_t rows = scores.rows(), columns = scores.cols();
  Matrix<float> ordered(rows, columns);
  Matrix<double> result(rows, columns);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t k = 0; k < columns; ++k) ordered(i, k) = scores(i, column_of_[k]);
  }
  model.apply(std::as_const(ordered).view(), result.view(), threads);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t k = 0; k < columns; ++k) probabilities(i, column_of_[k]) = result(i, k);
  }
}

void AlignedCalibrator::apply(Scores scores, MatrixView<float> probabilities, int threads) const {
  if (column_of_.empty()) return apply_rounded(loaded_.calibrator, scores, probabilities, threads);
  Matrix<double> exact(probabilities.rows(), probabilities.cols());
  apply(scores, exact.view(), threads);
  for (std::size_t i = 0; i < probabilities.size(); ++i) {
    probabilities.data()[i] = static_cast<float>(exact.data()[i]);
  }
}

}  // namespace credence::io
