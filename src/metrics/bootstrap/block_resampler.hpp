// Resampling rows that are never together: every block draws its own weights and adds up its sums
// in all resamples.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "metrics/bootstrap/resample_weights.hpp"
#include "metrics/rows/scored.hpp"
#include "metrics/sums/replicate_sums.hpp"

namespace credence::metrics {

class BlockResampler {
 public:
  /// For rows of Scored with these options, of which the first is number `first_row` of all.
  BlockResampler(const MetricOptions& options, std::size_t classes, std::uint64_t first_row,
                 std::size_t rows);

  /// The rows from number `first` of `s` on, which are a block.
  void add(const Scored& s, std::size_t first);
  ReplicateSums finish();

 private:
  /// Turns what has been added up into whole numbers.
  void settle();
  double* sums_of(std::size_t lanes) { return sums_.data() + lanes * layout_.slots() * kLanes; }

  MetricOptions::Resampling how_;
  Layout layout_;
  std::size_t resamples_, first_block_, end_block_;
  /// Of some blocks from the current one on.
  std::optional<BlockDraws> draws_;
  std::size_t drawn_to_ = 0, unsettled_ = 0;
  std::vector<std::uint8_t> weights_;
  std::vector<std::uint32_t> units_;  ///< every row of a block its own
  /// [(lanes * slots + slot) * kLanes + lane], the last lanes for the rows as they are.
  std::vector<double> sums_;
  ReplicateSums settled_;
};

}  // namespace credence::metrics
