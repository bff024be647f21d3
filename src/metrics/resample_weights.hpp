// How often each unit (an example, or a group of them) occurs in each resample.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace credence::metrics {

/// Resamples are drawn and summed this many at a time, side by side: the lanes of a block.
inline constexpr std::size_t kLanes = 32;

/// weight[unit * kLanes + lane]: `units` draws with replacement for each of the resamples
/// block * kLanes + lane; draw d of resample r depends on (seed, r, d) alone. A unit of many is
/// drawn more than 255 times with a chance below 1e-500, one of fewer than 256 cannot be.
void draw_weights(std::uint64_t seed, std::size_t block, std::size_t units,
                  std::vector<std::uint8_t>& weights);

/// Rows whose (slot, value) pairs are added together: row i adds value[j] to slot[j] for j in
/// [first[i], first[i+1]), weighed as its unit.
struct WeighedRows {
  std::size_t rows;
  const std::uint32_t* unit;
  const std::size_t* first;
  const std::uint32_t* slot;
  const float* value;
};

/// sums[slot * kLanes + lane] += value * weight[unit * kLanes + lane], row after row. Adds up to
/// kFlush rows in float32 before it goes over to float64, which keeps the relative error near 1e-7
/// at half the cost. The same bits whatever the processor: every lane is a sum of its own.
void add_weighted_rows(const std::uint8_t* weight, const WeighedRows& rows,
                       std::vector<double>& sums);
inline constexpr std::size_t kFlush = 256;

/// sums[j * kLanes + lane] += value[j] * weight[lane] for j in [0, count).
void add_weighted_dense(const std::uint8_t* weight, const double* value, std::size_t count,
                        double* sums);

}  // namespace credence::metrics
