// How often each unit (an example, or a group of them) occurs in each resample.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "credence/block_sums.hpp"

namespace credence::metrics {

/// Resamples are drawn and summed this many at a time, side by side: the lanes of a block.
inline constexpr std::size_t kLanes = 32;

/// Units that are drawn from together; what is known of a block then stays in the nearest cache.
/// As many as rows of a block of sums.
inline constexpr std::size_t kUnitsOfBlock = kBlockRows;

/// Draws are best divided among so many blocks at a time: dividing them between these and all
/// others then costs little, and so do 8 bytes for each block and resample.
inline constexpr std::size_t kBlocksDrawn = 256;

/// How often the blocks [first_block, end_block) of all units are drawn in each resample. As many
/// draws as there are units, with replacement, are divided between the halves of the units, and of
/// the halves, by binomial draws down to blocks: how often a unit is drawn depends on (seed,
/// resample, number of units, unit) alone, and a part of the units is drawn without the others.
class BlockDraws {
 public:
  BlockDraws(std::uint64_t seed, std::size_t resamples, std::size_t units, std::size_t first_block,
             std::size_t end_block, std::size_t first_resample = 0);

  /// weight[unit * kLanes + lane] of the units of a block, for the first `lanes` resamples from
  /// `resample` on; 0 in the other lanes. A unit of many is drawn more than 255 times with a chance
  /// below 1e-500, one of fewer than 256 cannot be.
  void draw(std::size_t block, std::size_t resample, std::size_t lanes,
            std::uint8_t* weights) const;

 private:
  void divide(std::size_t resample, std::size_t first, std::size_t end, std::uint64_t count);
  std::size_t end_of(std::size_t block) const {
    return std::min((block + 1) * kUnitsOfBlock, units_);
  }

  std::size_t units_, first_block_, end_block_;
  std::vector<std::uint64_t> keys_;    ///< of the resamples
  std::vector<std::uint64_t> counts_;  ///< [block * resamples + resample]
};

/// weight[unit * kLanes + lane] of all units, for the resamples block * kLanes + lane.
void draw_weights(std::uint64_t seed, std::size_t block, std::size_t units,
                  std::vector<std::uint8_t>& weights);

/// sums[j * kLanes + lane] += value[j] * weight[lane] for j in [0, count).
void add_weighted_dense(const std::uint8_t* weight, const double* value, std::size_t count,
                        double* sums);

}  // namespace credence::metrics
