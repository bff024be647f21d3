#include "metrics/packed_rows.hpp"

#include <algorithm>

#include "metrics/resample_weights.hpp"

namespace credence::metrics {
namespace {

/// The lanes of a block as registers; what the processor lacks the compiler does in halves.
typedef float Part __attribute__((vector_size(32)));
constexpr std::size_t kParts = kLanes / 8;

struct Entries {
  const std::uint8_t* row;
  const float* value;
};

/// some[slot] += the run, lane by lane. Two sets of sums, for even and odd entries, hide the
/// latency of additions.
[[gnu::always_inline]] inline void add_run(const Part* weights, const PackedRows::Run& run,
                                           Entries entries, Part* some) {
  Part even[kParts] = {}, odd[kParts] = {};
  std::size_t e = 0;
  for (; e + 2 <= run.entries; e += 2) {
    const Part* const first = weights + entries.row[e] * kParts;
    const Part* const second = weights + entries.row[e + 1] * kParts;
    const float a = entries.value[e], b = entries.value[e + 1];
#pragma GCC unroll 4
    for (std::size_t p = 0; p < kParts; ++p) {
      even[p] += first[p] * a;
      odd[p] += second[p] * b;
    }
  }
  if (e < run.entries) {
    const Part* const last = weights + entries.row[e] * kParts;
    for (std::size_t p = 0; p < kParts; ++p) even[p] += last[p] * entries.value[e];
  }
  Part* const at = some + run.slot * kParts;
  for (std::size_t p = 0; p < kParts; ++p) at[p] += even[p] + odd[p];
}

[[gnu::always_inline]] inline void add_runs(const std::uint8_t* weight, const std::uint32_t* units,
                                            std::size_t rows, const PackedRows::Run* run,
                                            const PackedRows::Run* end, Entries entries,
                                            float* some) {
  alignas(64) float wide[PackedRows::kChunk * kLanes];
  for (std::size_t i = 0; i < rows; ++i) {
    const std::uint8_t* const narrow = weight + units[i] * kLanes;
    for (std::size_t l = 0; l < kLanes; ++l) wide[i * kLanes + l] = static_cast<float>(narrow[l]);
  }
  for (; run != end; ++run) {
    add_run(reinterpret_cast<const Part*>(wide), *run, entries, reinterpret_cast<Part*>(some));
    entries = {entries.row + run->entries, entries.value + run->entries};
  }
}

// The same for wider registers. Nothing is contracted, so the bits are the same.
#if defined(__x86_64__) && defined(__GNUC__)
#define CREDENCE_WIDE 1
__attribute__((target("avx2"))) void add_runs_wide(const std::uint8_t* weight,
                                                   const std::uint32_t* units, std::size_t rows,
                                                   const PackedRows::Run* run,
                                                   const PackedRows::Run* end, Entries entries,
                                                   float* some) {
  add_runs(weight, units, rows, run, end, entries, some);
}
const bool kHasWide = __builtin_cpu_supports("avx2") != 0;
#endif

}  // namespace

PackedRows::PackedRows(const RowPairs& pairs, std::span<const std::uint32_t> order,
                       std::span<const std::uint32_t> unit, std::size_t slots)
    : slots_(slots), row_(pairs.slot.size()), value_(pairs.slot.size()) {
  std::vector<std::uint32_t> place(slots);
  units_.reserve(order.size());
  for (const std::uint32_t i : order) units_.push_back(unit[i]);
  std::size_t entries = 0;
  for (std::size_t first = 0; first < order.size(); first += kChunk) {
    const auto rows = order.subspan(first, std::min(kChunk, order.size() - first));
    // Entries are counted by slot, then put in their places.
    std::fill(place.begin(), place.end(), 0U);
    for (const std::uint32_t i : rows) {
      for (std::size_t p = pairs.first[i]; p < pairs.first[i + 1]; ++p) ++place[pairs.slot[p]];
    }
    std::uint32_t next = 0;
    for (std::uint32_t slot = 0; slot < slots; ++slot) {
      const std::uint32_t count = place[slot];
      if (count > 0) runs_.push_back({slot, count});
      place[slot] = next;
      next += count;
    }
    for (std::size_t r = 0; r < rows.size(); ++r) {
      for (std::size_t p = pairs.first[rows[r]]; p < pairs.first[rows[r] + 1]; ++p) {
        const std::size_t at = entries + place[pairs.slot[p]]++;
        row_[at] = static_cast<std::uint8_t>(r);
        value_[at] = pairs.value[p];
      }
    }
    entries += next;
    chunks_.push_back({first + rows.size(), runs_.size()});
  }
}

void PackedRows::add_up(const std::uint8_t* weight, std::vector<double>& sums) const {
  struct alignas(64) Lanes {
    float lane[kLanes];
  };
  std::vector<Lanes> some(slots_, Lanes{});
  bool empty = true;
  sums.resize(slots_ * kLanes);
  std::size_t row = 0, run = 0, entry = 0;
  for (std::size_t c = 0; c < chunks_.size(); ++c) {
    const Chunk& chunk = chunks_[c];
#ifdef CREDENCE_WIDE
    const auto add = kHasWide ? add_runs_wide : add_runs;
#else
    const auto add = add_runs;
#endif
    add(weight, units_.data() + row, chunk.rows - row, runs_.data() + run,
        runs_.data() + chunk.runs, {row_.data() + entry, value_.data() + entry}, some[0].lane);
    for (; run < chunk.runs; ++run) entry += runs_[run].entries;
    row = chunk.rows;
    if ((c + 1) % kFlush != 0 && c + 1 != chunks_.size()) continue;
    for (std::size_t s = 0; s < slots_; ++s) {
      double* const sum = sums.data() + s * kLanes;
      for (std::size_t l = 0; l < kLanes; ++l) {
        sum[l] = (empty ? 0.0 : sum[l]) + static_cast<double>(some[s].lane[l]);
      }
      if (c + 1 != chunks_.size()) some[s] = {};
    }
    empty = false;
  }
}

}  // namespace credence::metrics
