#include "metrics/bootstrap/packed_rows.hpp"

#include <algorithm>
#include <numeric>

#include "core/wide.hpp"
#include "metrics/bootstrap/resample_weights.hpp"

namespace credence::metrics {
namespace {

/// The lanes of a block as registers; what the processor lacks the compiler does in halves.
typedef float Half __attribute__((vector_size(32)));
typedef float Full __attribute__((vector_size(64)));
template <class Part>
constexpr std::size_t kParts = kLanes * sizeof(float) / sizeof(Part);

/// What a chunk adds, and to what.
struct Work {
  const std::uint8_t* weight;
  const std::uint32_t *units, *sorted_units;
  std::size_t first_row, rows;
  std::span<const PackedRows::Column> single, binned, mass_binned;
  std::span<const PackedRows::Segment> segments, mass_segments;
  std::span<const PackedRows::Run> runs;
  const std::uint8_t* row;
  const float* value;
  float* some;  ///< kLanes for every slot
};

template <class Part>
[[gnu::always_inline]] inline void add_to(float* some, std::size_t slot, const Part* sum) {
  Part* const at = reinterpret_cast<Part*>(some) + slot * kParts<Part>;
  for (std::size_t p = 0; p < kParts<Part>; ++p) at[p] += sum[p];
}

/// Adds up N columns over the rows of a segment. Three of them leave no register unused.
template <std::size_t N, class Part>
[[gnu::always_inline]] inline void add_columns(const Part* weights, const Work& work,
                                               const PackedRows::Column* columns,
                                               const PackedRows::Segment& segment,
                                               std::size_t first) {
  Part sum[N][kParts<Part>] = {};
  const float* value[N];
  for (std::size_t c = 0; c < N; ++c) value[c] = columns[c].value.data();
  for (std::size_t i = first; i < segment.end; ++i) {
    const Part* const weight = weights + (i - work.first_row) * kParts<Part>;
#pragma GCC unroll 3
    for (std::size_t c = 0; c < N; ++c) {
#pragma GCC unroll 4
      for (std::size_t p = 0; p < kParts<Part>; ++p) sum[c][p] += weight[p] * value[c][i];
    }
  }
  for (std::size_t c = 0; c < N; ++c) {
    const PackedRows::Column& column = columns[c];
    add_to(work.some, column.slot + (column.binned ? segment.bin : 0), sum[c]);
  }
}

template <class Part>
[[gnu::always_inline]] inline void add_segments(const Part* weights, const Work& work,
                                                std::span<const PackedRows::Column> columns,
                                                std::span<const PackedRows::Segment> segments) {
  std::size_t first = work.first_row;
  for (const PackedRows::Segment& segment : segments) {
    const PackedRows::Column* column = columns.data();
    std::size_t left = columns.size();
    for (; left >= 3; left -= 3, column += 3) add_columns<3>(weights, work, column, segment, first);
    if (left == 2) add_columns<2>(weights, work, column, segment, first);
    if (left == 1) add_columns<1>(weights, work, column, segment, first);
    first = segment.end;
  }
}

/// Two sets of sums, for even and odd entries, hide the latency of additions.
template <class Part>
[[gnu::always_inline]] inline void add_run(const Part* weights, const PackedRows::Run& run,
                                           const std::uint8_t* row, const float* value,
                                           float* some) {
  Part even[kParts<Part>] = {}, odd[kParts<Part>] = {};
  std::size_t e = 0;
  for (; e + 2 <= run.entries; e += 2) {
    const Part* const first = weights + row[e] * kParts<Part>;
    const Part* const second = weights + row[e + 1] * kParts<Part>;
#pragma GCC unroll 4
    for (std::size_t p = 0; p < kParts<Part>; ++p) {
      even[p] += first[p] * value[e];
      odd[p] += second[p] * value[e + 1];
    }
  }
  if (e < run.entries) {
    for (std::size_t p = 0; p < kParts<Part>; ++p)
      even[p] += weights[row[e] * kParts<Part> + p] * value[e];
  }
  for (std::size_t p = 0; p < kParts<Part>; ++p) even[p] += odd[p];
  add_to(some, run.slot, even);
}

[[gnu::always_inline]] inline void widen(const Work& work, const std::uint32_t* units,
                                         float* wide) {
  for (std::size_t i = 0; i < work.rows; ++i) {
    const std::uint8_t* const narrow = work.weight + units[i] * kLanes;
    for (std::size_t l = 0; l < kLanes; ++l) wide[i * kLanes + l] = static_cast<float>(narrow[l]);
  }
}

template <class Part>
[[gnu::always_inline]] inline void add_work(const Work& work) {
  alignas(64) float wide[PackedRows::kChunk * kLanes];
  const Part* const weights = reinterpret_cast<const Part*>(wide);
  widen(work, work.units, wide);
  const PackedRows::Segment all{work.first_row + work.rows, 0};
  add_segments(weights, work, work.single, {&all, 1});
  widen(work, work.sorted_units, wide);
  add_segments(weights, work, work.binned, work.segments);
  add_segments(weights, work, work.mass_binned, work.mass_segments);
  const std::uint8_t* row = work.row;
  const float* value = work.value;
  for (const PackedRows::Run& run : work.runs) {
    add_run(weights, run, row, value, work.some);
    row += run.entries;
    value += run.entries;
  }
}

// The same for wider registers. Nothing is contracted, so the bits are the same.
#ifdef CREDENCE_WIDE
__attribute__((target("avx2"))) void add_wide(const Work& work) { add_work<Half>(work); }
__attribute__((target("avx512f"))) void add_widest(const Work& work) { add_work<Full>(work); }
#endif

void add(const Work& work) {
#ifdef CREDENCE_WIDE
  if (core::kHasWidest) return add_widest(work);
  if (core::kHasWide) return add_wide(work);
#endif
  add_work<Half>(work);
}

/// To the nearest multiple of kSumStep, for numbers below 2^29: larger ones have no bits to spare
/// beside this one.
constexpr double kRounding = 0x1.8p52 * kSumStep;

/// Adds what a block came to, and begins the next one.
[[gnu::always_inline]] inline void settle_block(float* some, std::size_t count, double* sums) {
  for (std::size_t i = 0; i < count; ++i) {
    sums[i] += (static_cast<double>(some[i]) + kRounding) - kRounding;
    some[i] = 0.0F;
  }
}

#ifdef CREDENCE_WIDE
__attribute__((target("avx2"))) void settle_wide(float* some, std::size_t count, double* sums) {
  settle_block(some, count, sums);
}
__attribute__((target("avx512f"))) void settle_widest(float* some, std::size_t count,
                                                      double* sums) {
  settle_block(some, count, sums);
}
#endif

void settle(float* some, std::size_t count, double* sums) {
#ifdef CREDENCE_WIDE
  if (core::kHasWidest) return settle_widest(some, count, sums);
  if (core::kHasWide) return settle_wide(some, count, sums);
#endif
  settle_block(some, count, sums);
}

/// The numbers of the rows, block by block, each block in ascending order of confidence.
std::vector<std::uint32_t> ordered(std::span<const double> confidence) {
  std::vector<std::uint32_t> order(confidence.size());
  std::iota(order.begin(), order.end(), 0U);
  for (std::size_t first = 0; first < order.size(); first += kBlockRows) {
    const auto begin = order.begin() + static_cast<std::ptrdiff_t>(first);
    const std::size_t rows = std::min(kBlockRows, order.size() - first);
    std::sort(begin, begin + static_cast<std::ptrdiff_t>(rows),
              [&](std::uint32_t a, std::uint32_t b) {
                return confidence[a] != confidence[b] ? confidence[a] < confidence[b] : a < b;
              });
  }
  return order;
}

}  // namespace

PackedRows::PackedRows(const Scored& s, const Layout& layout, const Omitted& omitted,
                       std::span<const std::uint32_t> unit, std::size_t first)
    : slots_(layout.slots()),
      first_(first),
      order_(ordered(std::span(s.confidence).subspan(first))),
      place_(layout.slots()) {
  units_.assign(unit.begin(), unit.begin() + static_cast<std::ptrdiff_t>(order_.size()));
  sorted_units_.reserve(order_.size());
  for (const std::uint32_t i : order_) sorted_units_.push_back(unit[i]);
  add_columns(s, layout, omitted);
  const RowPairs pairs = class_pairs(s, layout, first);
  row_.resize(pairs.slot.size());
  value_.resize(pairs.slot.size());
  for (std::size_t done = 0; done < order_.size(); done += kChunk) add_chunk(s, pairs, done);
}

void PackedRows::Binned::add_row(std::size_t row, std::uint32_t bin) {
  const bool begins = row % kChunk == 0 || segments.back().bin != bin;
  if (begins) segments.push_back({0, bin});
  segments.back().end = row + 1;
}

void PackedRows::add_columns(const Scored& s, const Layout& layout, const Omitted& omitted) {
  for (std::size_t k = 0; k < kScalars; ++k) {
    const auto statistic = static_cast<Statistic>(k);
    if (omitted[k]) continue;
    Column column{{}, layout.first(statistic)};
    column.value.reserve(order_.size());
    for (std::size_t i = 0; i < order_.size(); ++i) {
      column.value.push_back(static_cast<float>(s.scalar(statistic, first_ + i)));
    }
    single_.push_back(std::move(column));
  }
  const auto binned = [&](Binned& to, Statistic statistic, const auto& of_row) {
    Column column{{}, layout.first(statistic), true};
    column.value.reserve(order_.size());
    for (const std::uint32_t i : order_) {
      column.value.push_back(static_cast<float>(of_row(first_ + i)));
    }
    to.columns.push_back(std::move(column));
  };
  const auto gap = [&](std::size_t i) { return s.confidence[i] - s.agreement[i]; };
  const auto variance = [&](std::size_t i) { return s.agreement[i] * (1.0 - s.agreement[i]); };
  binned(by_bin_, Statistic::bin_count, [](std::size_t) { return 1.0; });
  binned(by_bin_, Statistic::bin_gap, gap);
  binned(by_bin_, Statistic::bin_gap_square, [&](std::size_t i) { return gap(i) * gap(i); });
  binned(by_bin_, Statistic::bin_variance, variance);
  binned(by_bin_, Statistic::bin_voted_gap,
         [&](std::size_t i) { return s.confidence[i] - static_cast<double>(s.hit[i]); });
  if (layout.cells(Statistic::mass_gap) == 0) return;
  binned(by_mass_, Statistic::mass_gap, gap);
  binned(by_mass_, Statistic::mass_variance, variance);
}

void PackedRows::add_chunk(const Scored& s, const RowPairs& pairs, std::size_t first) {
  const auto rows = std::span(order_).subspan(first, std::min(kChunk, order_.size() - first));
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const std::size_t row = first_ + rows[r];
    by_bin_.add_row(first + r, static_cast<std::uint32_t>(s.bins.index(s.confidence[row])));
    if (!by_mass_.columns.empty()) by_mass_.add_row(first + r, s.mass_bin[row]);
  }
  // Entries are counted by slot, then put in their places.
  std::fill(place_.begin(), place_.end(), 0U);
  for (const std::uint32_t i : rows) {
    for (std::size_t p = pairs.first[i]; p < pairs.first[i + 1]; ++p) ++place_[pairs.slot[p]];
  }
  const std::size_t entries = chunks_.empty() ? 0 : chunks_.back().entries;
  std::uint32_t next = 0;
  for (std::uint32_t slot = 0; slot < slots_; ++slot) {
    const std::uint32_t count = place_[slot];
    if (count > 0) runs_.push_back({slot, count});
    place_[slot] = next;
    next += count;
  }
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (std::size_t p = pairs.first[rows[r]]; p < pairs.first[rows[r] + 1]; ++p) {
      const std::size_t at = entries + place_[pairs.slot[p]]++;
      row_[at] = static_cast<std::uint8_t>(r);
      value_[at] = pairs.value[p];
    }
  }
  chunks_.push_back({first + rows.size(), by_bin_.segments.size(), by_mass_.segments.size(),
                     runs_.size(), entries + next});
}

void PackedRows::add_up(const std::uint8_t* weight, double* sums) const {
  struct alignas(64) Lanes {
    float lane[kLanes];
  };
  std::vector<Lanes> some(slots_, Lanes{});
  const auto part = [](const auto& of, std::size_t from, std::size_t to) {
    return std::span(of).subspan(from, to - from);
  };
  Chunk begin{};
  for (const Chunk& end : chunks_) {
    add({weight, units_.data() + begin.rows, sorted_units_.data() + begin.rows, begin.rows,
         end.rows - begin.rows, single_, by_bin_.columns, by_mass_.columns,
         part(by_bin_.segments, begin.segments, end.segments),
         part(by_mass_.segments, begin.mass_segments, end.mass_segments),
         part(runs_, begin.runs, end.runs), row_.data() + begin.entries,
         value_.data() + begin.entries, some.front().lane});
    begin = end;
    if (end.rows % kBlockRows != 0 && end.rows != order_.size()) continue;
    settle(some.front().lane, slots_ * kLanes, sums);
  }
}

}  // namespace credence::metrics
