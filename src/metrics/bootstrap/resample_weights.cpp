#include "metrics/bootstrap/resample_weights.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/random.hpp"
#include "core/wide.hpp"

namespace credence::metrics {
namespace {

/// Bootstraps draw from a stream of their own, apart from data simulated with the same seed.
constexpr std::uint64_t kResampleStream = 0x626f6f7473747261ULL;

[[gnu::always_inline]] inline void widen(const std::uint8_t* weight, double* wide) {
  for (std::size_t l = 0; l < kLanes; ++l) wide[l] = static_cast<double>(weight[l]);
}

[[gnu::always_inline]] inline void add_row(const double* wide, double value, double* sums) {
  for (std::size_t l = 0; l < kLanes; ++l) sums[l] += wide[l] * value;
}

[[gnu::always_inline]] inline void add_dense(const std::uint8_t* weight, const double* value,
                                             std::size_t count, double* sums) {
  alignas(64) double wide[kLanes];
  widen(weight, wide);
  for (std::size_t j = 0; j < count; ++j) add_row(wide, value[j], sums + j * kLanes);
}

// The same loops for wider registers. Nothing is contracted, so the bits are the same.
#ifdef CREDENCE_WIDE
__attribute__((target("avx2"))) void add_dense_wide(const std::uint8_t* weight, const double* value,
                                                    std::size_t count, double* sums) {
  add_dense(weight, value, count, sums);
}
#endif

}  // namespace

namespace {

__extension__ typedef unsigned __int128 Wide;

/// Random bits that depend on where in the tree of blocks they are used.
class NodeBits {
 public:
  NodeBits(std::uint64_t resample_key, std::uint64_t first, std::uint64_t end)
      : key_(core::mix64(core::mix64(resample_key ^ first) ^ end)) {}
  std::uint64_t next() { return core::mix64(key_ ^ count_++); }

 private:
  std::uint64_t key_, count_ = 0;
};

std::uint64_t exact_heads(std::uint64_t count, NodeBits& bits) {
  std::uint64_t sum = 0;
  for (; count >= 64; count -= 64) {
    sum += static_cast<std::uint64_t>(std::popcount(bits.next()));
  }
  if (count > 0) {
    const std::uint64_t some = bits.next() >> (64 - count);
    sum += static_cast<std::uint64_t>(std::popcount(some));
  }
  return sum;
}

/// From this many coins on, fewer are thrown and their number scaled. The two differ by less than
/// a thousandth of a standard deviation in mean and spread; a part of very many units can then be
/// drawn without throwing a coin for each of the others.
constexpr std::uint64_t kManyCoins = 1 << 14, kCoinsThrown = 1 << 12;

/// How many of `count` fair coins fall heads.
std::uint64_t heads(std::uint64_t count, NodeBits& bits) {
  if (count < kManyCoins) return exact_heads(count, bits);
  // The steps of a whole number are filled by two even numbers, which vary by 1/6.
  const auto thrown = static_cast<double>(exact_heads(kCoinsThrown, bits));
  const std::uint64_t both = bits.next();
  const double filled = thrown - 0.5 * kCoinsThrown +
                        static_cast<double>((both >> 32) + (both & 0xffffffffU)) * 0x1.0p-32 - 1.0;
  const auto all = static_cast<double>(count);
  const double deviations = filled / std::sqrt(0.25 * kCoinsThrown + 1.0 / 6.0);
  // At most 64 standard deviations, so between 0 and all of at least 2^14.
  return static_cast<std::uint64_t>(0.5 * all + 0.5 * std::sqrt(all) * deviations + 0.5);
}

/// How many of `count` draws fall among the first `left` of `all` units. A draw is a number whose
/// bits are compared with those of left / all, the highest first: a coin decides each, and half of
/// the draws are decided by it. Whole numbers and square roots, so every processor draws the same.
std::uint64_t draws_to_the_left(std::uint64_t count, std::size_t left, std::size_t all,
                                NodeBits& bits) {
  if (left == all) return count;
  auto share = static_cast<std::uint64_t>((static_cast<Wide>(left) << 64) / all);
  std::uint64_t sum = 0;
  for (; count > 0 && share != 0; share <<= 1) {
    const std::uint64_t ones = heads(count, bits);
    if (share >> 63 != 0) {
      sum += count - ones;
      count = ones;
    } else {
      count -= ones;
    }
  }
  return sum;
}

std::uint64_t key_of(std::uint64_t seed, std::size_t resample) {
  return core::mix64(core::mix64(core::mix64(seed ^ kResampleStream)) ^ resample);
}

}  // namespace

BlockDraws::BlockDraws(std::uint64_t seed, std::size_t resamples, std::size_t units,
                       std::size_t first_block, std::size_t end_block, std::size_t first_resample)
    : units_(units), first_block_(first_block), end_block_(end_block) {
  for (std::size_t r = 0; r < resamples; ++r) keys_.push_back(key_of(seed, first_resample + r));
  counts_.resize((end_block - first_block) * resamples);
  const std::size_t blocks = (units + kUnitsOfBlock - 1) / kUnitsOfBlock;
  for (std::size_t r = 0; r < resamples; ++r) divide(r, 0, blocks, units);
}

/// Divides `count` draws among the blocks [first, end).
void BlockDraws::divide(std::size_t resample, std::size_t first, std::size_t end,
                        std::uint64_t count) {
  if (count == 0 || end <= first_block_ || first >= end_block_) return;
  if (end - first == 1) {
    counts_[(first - first_block_) * keys_.size() + resample] = count;
    return;
  }
  // The largest power of two that leaves something to the right: the tree of sums.
  const std::size_t middle = first + std::bit_floor(end - first - 1);
  const std::size_t first_unit = first * kUnitsOfBlock, end_unit = end_of(end - 1);
  NodeBits bits(keys_[resample], first_unit, end_unit);
  const std::uint64_t left =
      draws_to_the_left(count, middle * kUnitsOfBlock - first_unit, end_unit - first_unit, bits);
  divide(resample, first, middle, left);
  divide(resample, middle, end, count - left);
}

void BlockDraws::draw(std::size_t block, std::size_t resample, std::size_t lanes,
                      std::uint8_t* weights) const {
  const std::size_t first = block * kUnitsOfBlock, end = end_of(block), units = end - first;
  std::fill_n(weights, units * kLanes, std::uint8_t{0});
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    const std::uint64_t count = counts_[(block - first_block_) * keys_.size() + resample + lane];
    NodeBits bits(keys_[resample + lane], first, end);
    std::uint8_t* const weight = weights + lane;
    // Two draws from 64 bits: 32 spread over at most 1,024 units evenly to 1 in 2^22.
    for (std::uint64_t d = 0; d < count; d += 2) {
      const std::uint64_t both = bits.next();
      ++weight[((both >> 32) * units >> 32) * kLanes];
      if (d + 1 < count) ++weight[((both & 0xffffffffU) * units >> 32) * kLanes];
    }
  }
}

void draw_weights(std::uint64_t seed, std::size_t block, std::size_t units,
                  std::vector<std::uint8_t>& weights) {
  weights.resize(units * kLanes);
  const std::size_t blocks = (units + kUnitsOfBlock - 1) / kUnitsOfBlock;
  const BlockDraws draws(seed, kLanes, units, 0, blocks, block * kLanes);
  for (std::size_t b = 0; b < blocks; ++b) {
    draws.draw(b, 0, kLanes, weights.data() + b * kUnitsOfBlock * kLanes);
  }
}

void add_weighted_dense(const std::uint8_t* weight, const double* value, std::size_t count,
                        double* sums) {
#ifdef CREDENCE_WIDE
  if (core::kHasWide) return add_dense_wide(weight, value, count, sums);
#endif
  add_dense(weight, value, count, sums);
}

}  // namespace credence::metrics
