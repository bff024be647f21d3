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
/// block * kLanes + lane. Draws are divided between the halves of the units, and of the halves, by
/// exact binomial draws down to blocks of 1,024 units: how often a unit is drawn depends on (seed,
/// resample, number of units, unit) alone, and a part of the units can be drawn without the others.
/// A unit of many is drawn more than 255 times with a chance below 1e-500, one of fewer than 256
/// cannot be.
void draw_weights(std::uint64_t seed, std::size_t block, std::size_t units,
                  std::vector<std::uint8_t>& weights);

/// sums[j * kLanes + lane] += value[j] * weight[lane] for j in [0, count).
void add_weighted_dense(const std::uint8_t* weight, const double* value, std::size_t count,
                        double* sums);

}  // namespace credence::metrics
