// What `credence evaluate` found, and how it is printed.
#pragma once

#include <optional>
#include <string>

#include "commands/commands.hpp"
#include "credence/bootstrap.hpp"
#include "credence/io.hpp"
#include "credence/metrics.hpp"

namespace credence::cli {

/// What was scored, for the protocol.
struct Subject {
  std::string method;  ///< of the calibrator; "as given" for a file of probabilities
  std::string gauge;
  std::string score_kind;
  std::string fitted_fingerprint;  ///< of the rows the calibrator was fitted on
  std::string calibrator_classes;  ///< how the calibrator's classes were matched
};

struct EvaluateResult {
  Subject subject;
  io::LoadedDataset loaded;
  Evaluation evaluation;
  std::optional<BootstrapResult> intervals;
  std::string no_intervals;  ///< why there are none
};

std::string as_text(const EvaluateResult& result, const EvaluateOptions& options);
std::string as_json(const EvaluateResult& result, const EvaluateOptions& options);
std::string as_csv(const EvaluateResult& result, const EvaluateOptions& options);

}  // namespace credence::cli
