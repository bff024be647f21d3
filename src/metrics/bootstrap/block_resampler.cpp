#include "metrics/bootstrap/block_resampler.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "credence/error.hpp"
#include "metrics/bootstrap/packed_rows.hpp"

namespace credence::metrics {
namespace {

/// Sums in float64 stay exact over so many blocks: a row adds less than 2^11, a block less than
/// 2^21, and sums are exact up to 2^31.
constexpr std::size_t kBlocksUnsettled = 1024;

std::int64_t in_steps(double sum) {
  // An infinite nll: the metric has no value, and nobody reads its sums.
  if (!std::isfinite(sum)) return 0;
  const double steps = sum / kSumStep;
  if (std::abs(steps) > 0x1.0p62) {
    throw Error(ErrorCode::data, "a sum of the resamples is too large to be added up",
                "evaluate without ‹resamples›");
  }
  return static_cast<std::int64_t>(steps);
}

}  // namespace

BlockResampler::BlockResampler(const MetricOptions& options, std::size_t classes,
                               std::uint64_t first_row, std::size_t rows)
    : how_(options.resampling),
      layout_(resampled_layout(options, classes)),
      resamples_(static_cast<std::size_t>(how_.resamples)),
      first_block_(static_cast<std::size_t>(first_row / kBlockRows)),
      end_block_(first_block_ + (rows + kBlockRows - 1) / kBlockRows),
      drawn_to_(first_block_),
      weights_(kUnitsOfBlock * kLanes),
      units_(kUnitsOfBlock) {
  std::iota(units_.begin(), units_.end(), 0U);
  const std::size_t groups = (resamples_ + kLanes - 1) / kLanes + 1;
  sums_.assign(groups * layout_.slots() * kLanes, 0.0);
  settled_.sums.assign(replicate_count(options, classes), 0);
}

void BlockResampler::add(const Scored& s, std::size_t first) {
  const auto block = static_cast<std::size_t>((s.first_row + first) / kBlockRows);
  if (block == drawn_to_) {
    drawn_to_ = std::min(block + kBlocksDrawn, end_block_);
    draws_.emplace(how_.seed, resamples_, static_cast<std::size_t>(how_.rows), block, drawn_to_);
  }
  const PackedRows rows(s, layout_, {}, units_, first);
  std::size_t group = 0;
  for (std::size_t r = 0; r < resamples_; r += kLanes) {
    draws_->draw(block, r, std::min(kLanes, resamples_ - r), weights_.data());
    rows.add_up(weights_.data(), sums_of(group++));
  }
  std::fill(weights_.begin(), weights_.end(), std::uint8_t{1});
  rows.add_up(weights_.data(), sums_of(group));
  if (++unsettled_ == kBlocksUnsettled) settle();
}

void BlockResampler::settle() {
  const std::size_t across = resamples_ + 1, slots = layout_.slots();
  const double* const plain = sums_of((resamples_ + kLanes - 1) / kLanes);
  for (std::size_t s = 0; s < slots; ++s) {
    std::int64_t* const sum = settled_.sums.data() + s * across;
    for (std::size_t r = 0; r < resamples_; ++r) {
      sum[r] += in_steps(sums_of(r / kLanes)[s * kLanes + r % kLanes]);
    }
    sum[resamples_] += in_steps(plain[s * kLanes]);
  }
  std::fill(sums_.begin(), sums_.end(), 0.0);
  unsettled_ = 0;
}

ReplicateSums BlockResampler::finish() {
  settle();
  return std::move(settled_);
}

}  // namespace credence::metrics
