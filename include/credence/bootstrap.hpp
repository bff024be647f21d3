// The uncertainty of scores: bootstrap intervals, also of paired differences between methods.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "credence/dataset.hpp"
#include "credence/matrix.hpp"
#include "credence/metrics.hpp"

namespace credence {

enum class IntervalKind {
  percentile,   ///< quantiles of the resampled values
  studentised,  ///< quantiles of (resampled - value) / standard error of the resample, reflected
};

struct BootstrapOptions {
  int resamples = 1000;
  std::uint64_t seed = 42;  ///< resample r draws from (seed, r) only
  double level = 0.95;
  IntervalKind kind = IntervalKind::percentile;
  /// Redraw the votes of each example as well. Resampling examples already carries the chance in
  /// their votes; this asks how other annotators of these examples might have voted on top of it.
  bool annotators = false;
  int threads = 0;  ///< 0: as many as the machine has; changes no result
  /// Called now and then with the share done; return false to stop with Error(cancelled).
  std::function<bool(double)> progress = {};
};

/// A metric's value with its uncertainty. Empty members: the metric has no value, or no interval
/// can be given (the metric table says which metrics carry none, and why).
struct Estimate {
  std::string_view name;
  std::optional<double> value;
  std::optional<double> standard_error;  ///< standard deviation of the resampled values
  std::optional<double> low, high;
};

struct BootstrapResult {
  BootstrapOptions protocol;
  std::size_t units = 0;  ///< examples, or groups where groups are given
  /// One list per evaluation, in the order of metric_table().
  std::vector<std::vector<Estimate>> estimates;
  /// differences[r][j]: evaluation j minus evaluation references[r], metric by metric, from the
  /// same resamples. Empty without references. That of the reference itself is 0 in [0, 0].
  std::vector<std::vector<std::vector<Estimate>>> differences;
};

/// About how many bytes keeping the rows of one evaluation for these intervals takes.
double resampling_bytes(std::size_t rows, std::size_t classes, const BootstrapOptions& options);
/// True where bootstrap_rescored() can give the intervals.
bool resamples_rescored(const BootstrapOptions& options);
/// Intervals are left out where the rows of one evaluation, or of all methods of a comparison,
/// would take more, because that could exhaust the machine. What is counted for a comparison is
/// about twice what it takes: its evaluations share the larger part, one after the other.
inline constexpr double kMaxEvaluationBytes = 1e9, kMaxComparisonBytes = 6e9;

/// Resamples examples (whole groups when `groups` has an entry per row) with the same weights for
/// every evaluation, so that differences are paired. The evaluations must come from
/// Evaluators over the same votes, created with keep_rows. Cost O(n K R) for R resamples, the same
/// sums for any number of threads.
BootstrapResult bootstrap(std::span<const Evaluation> evaluations,
                          std::span<const std::uint32_t> groups,
                          std::span<const std::size_t> references,
                          const BootstrapOptions& options = {});

/// Rows made once more: their probabilities under an evaluation, and certainties where it has them.
struct RowsAgain {
  Matrix<double> probabilities, certainties;
};
using MakeRowsAgain =
    std::function<RowsAgain(std::size_t evaluation, std::size_t first, std::size_t rows)>;

/// The same intervals, to the bit, from evaluations with keep_examples alone: rows are made and
/// scored once more, a block at a time, which takes far less time than resampling them. Percentile
/// intervals over examples or groups; `make` is called by several threads.
BootstrapResult bootstrap_rescored(std::span<const Evaluation> evaluations, const Votes& votes,
                                   const MakeRowsAgain& make, std::span<const std::uint32_t> groups,
                                   std::span<const std::size_t> references,
                                   const BootstrapOptions& options = {});

}  // namespace credence
