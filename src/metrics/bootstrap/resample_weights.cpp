#include "metrics/bootstrap/resample_weights.hpp"

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

void draw_weights(std::uint64_t seed, std::size_t block, std::size_t units,
                  std::vector<std::uint8_t>& weights) {
  weights.assign(units * kLanes, 0);
  const std::uint64_t stream = core::mix64(seed ^ kResampleStream);
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    const std::uint64_t key = core::mix64(core::mix64(stream) ^ (block * kLanes + lane));
    for (std::size_t d = 0; d < units; ++d) {
      // The high half of a product spreads 64 random bits over the units evenly to 1 in 2^64/units.
      __extension__ typedef unsigned __int128 Wide;
      const auto unit =
          static_cast<std::size_t>(static_cast<Wide>(core::mix64(key ^ d)) * units >> 64);
      ++weights[unit * kLanes + lane];
    }
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
