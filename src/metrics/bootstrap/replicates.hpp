// What metrics are in every resample, and the estimates that follow.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "credence/bootstrap.hpp"
#include "metrics/bootstrap/inverted_interval.hpp"
#include "metrics/bootstrap/resampled_metrics.hpp"

namespace credence::metrics {

[[noreturn]] void refuse_bootstrap(const std::string& message, std::string hint = {});
/// What no bootstrap can do, wherever the rows are.
void check_bootstrap(std::size_t evaluations, std::span<const std::size_t> references,
                     const BootstrapOptions& options);

/// Evaluations that kept their examples: all of the same votes, and as many groups, if any.
void check_same_rows(std::span<const Evaluation> evaluations,
                     std::span<const std::uint32_t> groups);

/// Everything resampled for one evaluation; entry [j * resamples + r] belongs to metric j in
/// resample r.
struct Replicates {
  Replicates() = default;
  Replicates(const ResampledMetrics& of, const Summary& summary, const BootstrapOptions& options);

  /// Takes the sums of resamples r .. r + count - 1, the first lanes of sums[slot * lanes + lane].
  void take(const ResampledMetrics& of, const Layout& layout, std::span<const double> sums,
            std::size_t lanes, std::size_t r, std::size_t count);

  std::size_t resamples = 0;
  std::vector<std::size_t> metrics;  ///< indices into definitions()
  std::vector<double> points, values;
  // Only for studentised intervals: of the rows as they are and of the resamples; first the errors
  // of the metric itself, then those of its difference from each reference.
  std::vector<std::vector<double>> point_errors, errors;
  std::optional<ResampledGaps> gaps;
};

/// Replicates of every evaluation, of as many units drawn.
BootstrapResult estimate(std::span<const Evaluation> evaluations,
                         std::span<const Replicates> replicates, std::size_t units,
                         std::span<const std::size_t> references, const BootstrapOptions& options);

}  // namespace credence::metrics
