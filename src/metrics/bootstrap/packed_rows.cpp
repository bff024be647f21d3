#include "metrics/bootstrap/packed_rows.hpp"

#include <algorithm>

#include "core/wide.hpp"
#include "metrics/bootstrap/resample_weights.hpp"

namespace credence::metrics {
namespace {

/// The lanes of a block as registers; what the processor lacks the compiler does in halves.
typedef float Part __attribute__((vector_size(32)));
constexpr std::size_t kParts = kLanes / 8;

/// What a chunk adds, and to what.
struct Work {
  const std::uint8_t* weight;
  const std::uint32_t* units;
  std::size_t first_row, rows;
  std::span<const PackedRows::Segment> segments;
  std::span<const PackedRows::Column> columns;
  std::span<const PackedRows::Run> runs;
  const std::uint8_t* row;
  const float* value;
  Part* some;  ///< kParts for every slot
};

[[gnu::always_inline]] inline void add_to(Part* some, std::size_t slot, const Part* sum) {
  for (std::size_t p = 0; p < kParts; ++p) some[slot * kParts + p] += sum[p];
}

/// Adds up N columns over the rows of a segment. Three of them leave no register unused.
template <std::size_t N>
[[gnu::always_inline]] inline void add_columns(const Part* weights, const Work& work,
                                               const PackedRows::Column* columns,
                                               const PackedRows::Segment& segment,
                                               std::size_t first) {
  Part sum[N][kParts] = {};
  const float* value[N];
  for (std::size_t c = 0; c < N; ++c) value[c] = columns[c].value.data();
  for (std::size_t i = first; i < segment.end; ++i) {
    const Part* const weight = weights + (i - work.first_row) * kParts;
#pragma GCC unroll 3
    for (std::size_t c = 0; c < N; ++c) {
#pragma GCC unroll 4
      for (std::size_t p = 0; p < kParts; ++p) sum[c][p] += weight[p] * value[c][i];
    }
  }
  for (std::size_t c = 0; c < N; ++c) {
    const PackedRows::Column& column = columns[c];
    add_to(work.some, column.slot + (column.binned ? segment.bin : 0), sum[c]);
    if (column.mass_slot == PackedRows::kNowhere) continue;
    add_to(work.some, column.mass_slot + segment.mass_bin, sum[c]);
  }
}

/// Two sets of sums, for even and odd entries, hide the latency of additions.
[[gnu::always_inline]] inline void add_run(const Part* weights, const PackedRows::Run& run,
                                           const std::uint8_t* row, const float* value,
                                           Part* some) {
  Part even[kParts] = {}, odd[kParts] = {};
  std::size_t e = 0;
  for (; e + 2 <= run.entries; e += 2) {
    const Part* const first = weights + row[e] * kParts;
    const Part* const second = weights + row[e + 1] * kParts;
#pragma GCC unroll 4
    for (std::size_t p = 0; p < kParts; ++p) {
      even[p] += first[p] * value[e];
      odd[p] += second[p] * value[e + 1];
    }
  }
  if (e < run.entries) {
    for (std::size_t p = 0; p < kParts; ++p) even[p] += weights[row[e] * kParts + p] * value[e];
  }
  for (std::size_t p = 0; p < kParts; ++p) even[p] += odd[p];
  add_to(some, run.slot, even);
}

[[gnu::always_inline]] inline void add_work(const Work& work) {
  alignas(64) float wide[PackedRows::kChunk * kLanes];
  for (std::size_t i = 0; i < work.rows; ++i) {
    const std::uint8_t* const narrow = work.weight + work.units[i] * kLanes;
    for (std::size_t l = 0; l < kLanes; ++l) wide[i * kLanes + l] = static_cast<float>(narrow[l]);
  }
  const Part* const weights = reinterpret_cast<const Part*>(wide);
  std::size_t first = work.first_row;
  for (const PackedRows::Segment& segment : work.segments) {
    const PackedRows::Column* column = work.columns.data();
    std::size_t left = work.columns.size();
    for (; left >= 3; left -= 3, column += 3) add_columns<3>(weights, work, column, segment, first);
    if (left == 2) add_columns<2>(weights, work, column, segment, first);
    if (left == 1) add_columns<1>(weights, work, column, segment, first);
    first = segment.end;
  }
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
__attribute__((target("avx2"))) void add_wide(const Work& work) { add_work(work); }
#endif

void add(const Work& work) {
#ifdef CREDENCE_WIDE
  if (core::kHasWide) return add_wide(work);
#endif
  add_work(work);
}

}  // namespace

PackedRows::PackedRows(const Scored& s, const Layout& layout, const Omitted& omitted,
                       std::span<const std::uint32_t> unit)
    : slots_(layout.slots()), place_(layout.slots()) {
  units_.reserve(s.rows());
  for (const std::uint32_t i : s.by_confidence) units_.push_back(unit[i]);
  add_columns(s, layout, omitted);
  const RowPairs pairs = class_pairs(s, layout);
  row_.resize(pairs.slot.size());
  value_.resize(pairs.slot.size());
  for (std::size_t first = 0; first < s.rows(); first += kChunk) add_chunk(s, pairs, first);
}

void PackedRows::add_columns(const Scored& s, const Layout& layout, const Omitted& omitted) {
  const auto add = [&](Column column, const auto& of_row) {
    column.value.reserve(s.rows());
    for (const std::uint32_t i : s.by_confidence) {
      column.value.push_back(static_cast<float>(of_row(i)));
    }
    columns_.push_back(std::move(column));
  };
  for (std::size_t k = 0; k < kScalars; ++k) {
    const auto statistic = static_cast<Statistic>(k);
    if (omitted[k]) continue;
    add({{}, layout.first(statistic)}, [&](std::size_t i) { return s.scalar(statistic, i); });
  }
  const auto binned = [&](Statistic statistic, std::size_t mass_slot, const auto& of_row) {
    add({{}, layout.first(statistic), true, mass_slot}, of_row);
  };
  const auto gap = [&](std::size_t i) { return s.confidence[i] - s.agreement[i]; };
  binned(Statistic::bin_count, kNowhere, [](std::size_t) { return 1.0; });
  binned(Statistic::bin_gap, layout.first(Statistic::mass_gap), gap);
  binned(Statistic::bin_gap_square, kNowhere, [&](std::size_t i) { return gap(i) * gap(i); });
  binned(Statistic::bin_variance, layout.first(Statistic::mass_variance),
         [&](std::size_t i) { return s.agreement[i] * (1.0 - s.agreement[i]); });
  binned(Statistic::bin_voted_gap, kNowhere,
         [&](std::size_t i) { return s.confidence[i] - static_cast<double>(s.hit[i]); });
}

void PackedRows::add_chunk(const Scored& s, const RowPairs& pairs, std::size_t first) {
  const auto rows = std::span(s.by_confidence).subspan(first, std::min(kChunk, s.rows() - first));
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const auto bin = static_cast<std::uint32_t>(s.bins.index(s.confidence[rows[r]]));
    const std::uint32_t mass_bin = s.mass_bin[rows[r]];
    const bool goes_on =
        r > 0 && segments_.back().bin == bin && segments_.back().mass_bin == mass_bin;
    if (!goes_on) segments_.push_back({0, bin, mass_bin});
    segments_.back().end = first + r + 1;
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
  chunks_.push_back({first + rows.size(), segments_.size(), runs_.size(), entries + next});
}

void PackedRows::add_up(const std::uint8_t* weight, std::vector<double>& sums) const {
  struct alignas(64) Lanes {
    float lane[kLanes];
  };
  std::vector<Lanes> some(slots_, Lanes{});
  sums.assign(slots_ * kLanes, 0.0);
  Chunk begin{0, 0, 0, 0};
  for (std::size_t c = 0; c < chunks_.size(); ++c) {
    const Chunk& end = chunks_[c];
    add({weight, units_.data() + begin.rows, begin.rows, end.rows - begin.rows,
         std::span(segments_).subspan(begin.segments, end.segments - begin.segments), columns_,
         std::span(runs_).subspan(begin.runs, end.runs - begin.runs), row_.data() + begin.entries,
         value_.data() + begin.entries, reinterpret_cast<Part*>(some.data())});
    begin = end;
    if ((c + 1) % kFlush != 0 && c + 1 != chunks_.size()) continue;
    for (std::size_t s = 0; s < slots_; ++s) {
      double* const sum = sums.data() + s * kLanes;
      for (std::size_t l = 0; l < kLanes; ++l) sum[l] += static_cast<double>(some[s].lane[l]);
      if (c + 1 != chunks_.size()) some[s] = {};
    }
  }
}

}  // namespace credence::metrics
