// Several models of the same examples: an ensemble, a panel of judges. Each model's scores are
// calibrated alone by `auto`; the result is the product of their probabilities, each to a power of
// its own, divided by its sum.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "credence/calibrator.hpp"
#include "credence/matrix.hpp"

namespace credence {

/// The most models that a panel can have.
inline constexpr std::size_t kMostModels = 1000;

struct PanelModel {
  std::string name;
  double exponent = 0.0;      ///< 0: the model adds nothing to the others
  Calibrator calibrator;      ///< of its scores alone
  std::optional<double> nll;  ///< of the model alone, calibrated, on held-out rows
  double standard_error = 0.0;
};

struct Panel {
  std::vector<PanelModel> models;
  std::optional<double> nll;  ///< of all together, on held-out rows
  double standard_error = 0.0;
  double gain = 0.0;  ///< how far that is below the best model alone
  double gain_error = 0.0;
  std::vector<std::string> notes;

  std::size_t class_count() const { return models.front().calibrator.class_count; }
  /// The scores of every model, row by row the same examples, in the order of `models`. Another
  /// number of them or another shape is an Error(model).
  void apply(std::span<const Scores> scores, MutRows probabilities, int threads = 1) const;
};

}  // namespace credence
