// The sums of rows in many resamples, added up together with the rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "credence/metrics.hpp"
#include "metrics/sums/statistics.hpp"

namespace credence::metrics {

/// Whether the cells of the classes are resampled: where the sums of all resamples take 64 MB at
/// most. Depends on nothing that differs between pieces.
bool resamples_classes(const MetricOptions& options, std::size_t classes);

/// What is summed in every resample: all but the equally filled bins, which only all rows together
/// show.
Layout resampled_layout(const MetricOptions& options, std::size_t classes);

/// Whole numbers, so that pieces add up to the same in any order.
struct ReplicateSums {
  /// [slot * (resamples + 1) + resample], in steps of kSumStep; last of each slot: every row once.
  std::vector<std::int64_t> sums;

  bool operator==(const ReplicateSums&) const = default;
  /// Adds those of other rows.
  void add(const ReplicateSums& right);
};

/// How many numbers there are; 0 without resamples.
std::size_t replicate_count(const MetricOptions& options, std::size_t classes);

}  // namespace credence::metrics
