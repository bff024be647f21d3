// A fitted calibrator is a value: maps with their learned numbers, applied in order.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "credence/map.hpp"
#include "credence/matrix.hpp"
#include "credence/target.hpp"

namespace credence {

/// How an optimiser stopped.
enum class Stop {
  converged,        ///< small gradient and small Newton step
  rounding_floor,   ///< tiny gradient, which double precision cannot improve any further
  at_bound,         ///< the best parameter within its bounds lies on a bound
  iteration_limit,  ///< stopped early; the result is not the optimum
  no_minimiser,     ///< the loss falls for ever as the parameters grow (separable data)
  no_progress,  ///< no step lowers the loss, yet the gradient is not tiny: maybe not the optimum
  direct,       ///< solved in closed form, nothing iterates
};

inline constexpr std::array kStops{Stop::converged,       Stop::rounding_floor, Stop::at_bound,
                                   Stop::iteration_limit, Stop::no_minimiser,   Stop::no_progress,
                                   Stop::direct};

/// As files say it: "rounding_floor".
std::string_view to_string(Stop stop);
/// As people say it: "rounding floor".
std::string_view in_words(Stop stop);

struct FitReport {
  Stop stop = Stop::direct;
  int passes = 0;                  ///< passes over all the data
  double loss = 0.0;               ///< mean soft cross-entropy + penalty on the calibration rows
  double gradient_norm = 0.0;      ///< largest absolute component at the returned parameters
  std::vector<std::string> notes;  ///< what a careful user should know; empty when all is well
};

/// One target and one map, fitted.
struct Stage {
  TargetSpec target;
  MapSpec map;
  std::vector<double> theta;
  FitReport report;
};

/// Stages run in order; each reads the log-probabilities that the one before gives.
struct Calibrator {
  std::string method;
  Gauge gauge = Gauge::log_probs;
  std::vector<std::string> classes;  ///< K names, or empty
  std::size_t class_count = 0;
  std::vector<Stage> stages;

  /// Writes calibrated probabilities for finite logits or log-probabilities (see
  /// to_finite_logits). Rows are independent; results do not depend on `threads`.
  void apply(Scores scores, MatrixView<double> probabilities, int threads = 1) const;
  void apply(Scores scores, MatrixView<float> probabilities, int threads = 1) const;

  /// T when the calibrator is a single temperature, otherwise 0.
  double temperature() const;
};

}  // namespace credence
