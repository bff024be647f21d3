#include "metrics/bootstrap/resample_weights.hpp"

#include <bit>

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

/// Units that are drawn from together; what is known of a block then stays in the nearest cache.
constexpr std::size_t kUnitsOfBlock = 1024;

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

/// How many of `count` fair coins fall heads.
std::uint64_t heads(std::uint64_t count, NodeBits& bits) {
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

/// How many of `count` draws fall among the first `left` of `all` units. A draw is a number whose
/// bits are compared with those of left / all, the highest first: a coin decides each, and half of
/// the draws are decided by it. Whole numbers alone, so every processor draws the same.
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

/// Spreads `count` draws over the units [first, end) of one resample.
void spread_draws(std::uint64_t resample_key, std::size_t first, std::size_t end,
                  std::uint64_t count, std::uint8_t* weights) {
  if (count == 0) return;
  const std::size_t units = end - first;
  NodeBits bits(resample_key, first, end);
  if (units <= kUnitsOfBlock) {
    // Two draws from 64 bits: 32 spread over at most 1,024 units evenly to 1 in 2^22.
    for (std::uint64_t d = 0; d < count; d += 2) {
      const std::uint64_t both = bits.next();
      ++weights[(first + ((both >> 32) * units >> 32)) * kLanes];
      if (d + 1 < count) ++weights[(first + ((both & 0xffffffffU) * units >> 32)) * kLanes];
    }
    return;
  }
  // The largest power of two of blocks that leaves something to the right: the tree of sums.
  const std::size_t blocks = (units + kUnitsOfBlock - 1) / kUnitsOfBlock;
  const std::size_t middle = first + std::bit_floor(blocks - 1) * kUnitsOfBlock;
  const std::uint64_t left = draws_to_the_left(count, middle - first, units, bits);
  spread_draws(resample_key, first, middle, left, weights);
  spread_draws(resample_key, middle, end, count - left, weights);
}

}  // namespace

void draw_weights(std::uint64_t seed, std::size_t block, std::size_t units,
                  std::vector<std::uint8_t>& weights) {
  weights.assign(units * kLanes, 0);
  const std::uint64_t stream = core::mix64(seed ^ kResampleStream);
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    const std::uint64_t key = core::mix64(core::mix64(stream) ^ (block * kLanes + lane));
    spread_draws(key, 0, units, units, weights.data() + lane);
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
