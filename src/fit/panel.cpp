#include "credence/panel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/kernels.hpp"
#include "core/parallel.hpp"
#include "credence/dataset.hpp"
#include "credence/error.hpp"
#include "fit/blend.hpp"

namespace credence {

namespace fit_detail {

Matrix<float> log_of(Rows probabilities) {
  return to_finite_logits(probabilities, ScoreKind::probs).scores;
}

void blend(std::span<const MatrixView<const float>> logs, std::span<const double> exponents,
           MutRows out) {
  const std::size_t rows = out.rows(), classes = out.cols();
  std::vector<double> sum(classes);
  std::vector<float> scores(rows * classes);
  for (std::size_t i = 0; i < rows; ++i) {
    std::ranges::fill(sum, 0.0);
    for (std::size_t m = 0; m < logs.size(); ++m) {
      if (exponents[m] == 0.0) continue;
      const std::span<const float> row = logs[m].row(i);
      for (std::size_t k = 0; k < classes; ++k) sum[k] += exponents[m] * double{row[k]};
    }
    for (std::size_t k = 0; k < classes; ++k) {
      scores[i * classes + k] = static_cast<float>(sum[k]);
    }
  }
  core::kernels().softmax_f64(scores.data(), rows, classes, 1.0, out.data());
}

}  // namespace fit_detail

namespace {

constexpr std::size_t kPanelRows = 1024;

/// The model whose calibrator is the whole panel; nullptr where several count.
const PanelModel* alone(const Panel& panel) {
  const PanelModel* found = nullptr;
  for (const PanelModel& model : panel.models) {
    if (model.exponent == 0.0) continue;
    if (found != nullptr || model.exponent != 1.0) return nullptr;
    found = &model;
  }
  return found;
}

void check_scores_of(const Panel& panel, std::span<const Scores> scores, MutRows out) {
  if (scores.size() != panel.models.size()) {
    throw Error(ErrorCode::model,
                fmt::format("the calibrator reads the scores of {} models, {} were given",
                            panel.models.size(), scores.size()),
                "give one score file for each model, in the order of the fit");
  }
  for (const Scores& one : scores) {
    if (one.rows() == out.rows() && one.cols() == out.cols() && one.cols() == panel.class_count()) {
      continue;
    }
    throw Error(ErrorCode::model,
                fmt::format("scores of {} rows and {} classes; expected {} rows and {} classes",
                            one.rows(), one.cols(), out.rows(), panel.class_count()));
  }
}

}  // namespace

void Panel::apply(std::span<const Scores> scores, MutRows probabilities, int threads) const {
  check_scores_of(*this, scores, probabilities);
  if (const PanelModel* one = alone(*this)) {
    const auto place = static_cast<std::size_t>(one - models.data());
    return one->calibrator.apply(scores[place], probabilities, threads);
  }
  std::vector<double> exponents;
  for (const PanelModel& model : models) exponents.push_back(model.exponent);
  const std::size_t rows = probabilities.rows(), blocks = (rows + kPanelRows - 1) / kPanelRows;
  core::parallel_for(core::resolve_threads(threads), blocks, [&](std::size_t block) {
    const std::size_t first = block * kPanelRows, count = std::min(kPanelRows, rows - first);
    Matrix<double> own(count, probabilities.cols());
    std::vector<Matrix<float>> logs;
    for (std::size_t m = 0; m < models.size(); ++m) {
      models[m].calibrator.apply(scores[m].block(first, count), own.view());
      logs.push_back(fit_detail::log_of(std::as_const(own).view()));
    }
    std::vector<MatrixView<const float>> views;
    for (const Matrix<float>& one : logs) views.push_back(one.view());
    fit_detail::blend(views, exponents, probabilities.block(first, count));
  });
}

}  // namespace credence
