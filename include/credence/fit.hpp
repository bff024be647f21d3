// Fitting: soft cross-entropy between a target and a map, minimised exactly.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "credence/block_sums.hpp"
#include "credence/calibrator.hpp"
#include "credence/dataset.hpp"
#include "credence/methods.hpp"
#include "credence/target.hpp"

namespace credence {

struct FitProgress {
  int pass = 0;
  double loss = 0.0;
  double gradient_norm = 0.0;
};

/// About the inverse of a loss's curvature near its optimum; made and read by fits alone.
struct FitCurvature;

struct FitOptions {
  Gauge gauge = Gauge::log_probs;
  std::uint64_t seed = 42;  ///< used by sampled targets only
  int threads = 0;          ///< 0: as many as the machine has
  /// Rows a worker takes at a time, rounded up to whole blocks; 0 chooses. Changes no result.
  std::size_t chunk_rows = 0;
  int max_passes = 500;
  /// Largest gradient component at which a fit counts as converged (the Newton step must be small
  /// too); relative to the size of the scores where that is far from 1. 1e-11 puts the error of a
  /// temperature near 1e-11, far below the 1e-8 that is promised.
  double gradient_tolerance = 1e-11;
  /// A fit of the same method and classes to nearly the same rows, which must outlive the call:
  /// smooth maps begin there. Changes how long a convex fit takes and not, beyond the tolerance,
  /// its result; a map that is not convex is then fitted from there alone.
  const Calibrator* start = nullptr;
  /// What led that fit (Solver::curvature), to lead this one too; not kept by Solver::save.
  std::shared_ptr<const FitCurvature> start_curvature = nullptr;
  /// Stages at the front of the method that are fitted to these very rows already.
  std::vector<Stage> fitted = {};
  /// Called after every pass; return false to stop with Error(cancelled).
  std::function<bool(const FitProgress&)> progress = {};
};

/// Fits every stage of a method. Throws Error(evidence) when the votes do not suffice; how the
/// optimiser ended is in each stage's report, never an exception, except that Error(data) says when
/// there is no finite loss to report.
Calibrator fit(const MethodSpec& method, const Dataset& data, const FitOptions& options = {});

/// The same; also gives what led the fit of the last stage, null where nothing of the kind did.
Calibrator fit(const MethodSpec& method, const Dataset& data, const FitOptions& options,
               std::shared_ptr<const FitCurvature>& curvature);

/// Whether a fit of this method makes use of the first look that LoadOptions can ask for.
bool wants_first_look(const MethodSpec& method);

/// What to know before a fit to so many rows begins: of one that is likely to reach no optimum, how
/// long it will take and what to use instead. Empty for most.
std::vector<std::string> cautions_before(const MethodSpec& method, std::size_t rows,
                                         std::size_t classes);
/// The same for several methods, by name.
std::vector<std::string> cautions_before(std::span<const std::string> methods, std::size_t rows,
                                         std::size_t classes);

/// One stage for a target made by hand.
Stage fit_stage(const MapSpec& map, const Dataset& data, const Targets& targets,
                const FitOptions& options = {});

}  // namespace credence
