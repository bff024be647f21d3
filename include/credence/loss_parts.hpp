// Where a loss comes from: what the annotators' disagreement makes unavoidable, what calibration
// still loses, and what only a better model could win (docs/metrics.md).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace credence {

/// A mean over test rows. The standard error is that of groups where the rows come in groups; empty
/// for a single group or row, which shows no spread.
struct LossPart {
  double value = 0.0;
  std::optional<double> standard_error;
  bool operator==(const LossPart&) const = default;
};

/// What is particular to a method.
struct MethodLoss {
  std::string method;
  std::optional<LossPart> total;        ///< empty where it is infinite
  std::optional<LossPart> calibration;  ///< total minus what the cross-fitted recalibration loses
  bool operator==(const MethodLoss&) const = default;
};

/// One loss in parts: total = disagreement + calibration + model. Without a disagreement, `model`
/// holds both.
struct LossSplit {
  std::string metric;                    ///< "nll" or "brier_reader"
  std::optional<LossPart> disagreement;  ///< empty where no row has two votes
  /// The disagreement within the votes at hand, which is too small when they are few; empty where
  /// there is none.
  std::optional<double> plug_in;
  LossPart model;
  std::vector<MethodLoss> methods;  ///< the model as it is first
  bool operator==(const LossSplit&) const = default;
};

struct LossParts {
  std::string problem;  ///< why they were not computed; empty when they were
  std::size_t rows_with_two_votes = 0;
  /// Whether the disagreement allows for the number of votes; false where it is unknown.
  bool corrected = false;
  std::vector<LossSplit> metrics;
  bool operator==(const LossParts&) const = default;
};

}  // namespace credence
