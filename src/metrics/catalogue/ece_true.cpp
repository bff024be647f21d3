// Calibration error against one annotator drawn for each example, by Monte Carlo. Only the event
// "the drawn annotator chose the predicted class" matters, so a draw is one coin flip per example.
#include <algorithm>
#include <numeric>

#include "core/parallel.hpp"
#include "core/wide.hpp"
#include "metrics/bins/rows_by_bin.hpp"
#include "metrics/catalogue/definition.hpp"
#include "metrics/numbers/monte_carlo.hpp"
#include "metrics/numbers/sum.hpp"

namespace credence::metrics {

namespace {

/// Flips the coins [first, last) for kDrawBlock draws and counts the hits of each.
[[gnu::always_inline]] inline void flip_coins(const std::uint64_t* keys,
                                              const std::uint32_t* thresholds, std::size_t first,
                                              std::size_t last, std::uint32_t draw,
                                              std::uint32_t* hits) {
  for (std::size_t i = first; i < last; ++i) {
    const std::uint64_t key = keys[i];
    const std::uint32_t threshold = thresholds[i];
    for (std::uint32_t d = 0; d < kDrawBlock; ++d) {
      hits[d] += draw_bits(key, draw + d) < threshold ? 1U : 0U;
    }
  }
}

#ifdef CREDENCE_WIDE
/// The same for registers that hold a whole block. Whole numbers: the same result.
__attribute__((target("avx2"), optimize("O3"))) void flip_wide(const std::uint64_t* keys,
                                                               const std::uint32_t* thresholds,
                                                               std::size_t first, std::size_t last,
                                                               std::uint32_t draw,
                                                               std::uint32_t* hits) {
  flip_coins(keys, thresholds, first, last, draw, hits);
}
#endif

void flip(const std::uint64_t* keys, const std::uint32_t* thresholds, std::size_t first,
          std::size_t last, std::uint32_t draw, std::uint32_t* hits) {
#ifdef CREDENCE_WIDE
  if (core::kHasWide) return flip_wide(keys, thresholds, first, last, draw, hits);
#endif
  flip_coins(keys, thresholds, first, last, draw, hits);
}

/// The rows whose annotators disagree about the predicted class, bin after bin.
struct Coins {
  std::vector<std::uint64_t> keys;
  std::vector<std::uint32_t> thresholds;
  std::vector<std::uint32_t> bins;  ///< with coins, ascending
  std::vector<std::size_t> ends;    ///< of their coins

  template <class BinOf>
  Coins(const TopRows& rows, std::size_t bin_count, std::uint64_t seed, const BinOf& bin_of) {
    const RowsByBin by_bin(rows.size(), bin_count, bin_of);
    keys.reserve(rows.size());
    thresholds.reserve(rows.size());
    for (std::size_t b = 0; b < bin_count; ++b) {
      const std::size_t before = keys.size();
      for (const std::size_t i : by_bin.bin(b)) {
        if (rows.agreement[i] <= 0.0 || rows.agreement[i] >= 1.0) continue;
        keys.push_back(draw_key(seed, rows.first_row + i));
        thresholds.push_back(chance_threshold(rows.agreement[i]));
      }
      if (keys.size() == before) continue;
      bins.push_back(static_cast<std::uint32_t>(b));
      ends.push_back(keys.size());
    }
  }

  DrawHits flip_all(const MetricOptions& options) const {
    const auto draws = static_cast<std::size_t>(options.draws);
    DrawHits found{bins, std::vector<std::uint64_t>(bins.size() * draws)};
    // Starting threads costs more than flipping a few coins.
    const int threads =
        keys.size() * draws < 1'000'000 ? 1 : core::resolve_threads(options.threads);
    core::parallel_for(threads, (draws + kDrawBlock - 1) / kDrawBlock, [&](std::size_t block) {
      const std::size_t first = block * kDrawBlock, last = std::min(first + kDrawBlock, draws);
      for (std::size_t b = 0; b < bins.size(); ++b) {
        alignas(32) std::uint32_t hits[kDrawBlock] = {};
        flip(keys.data(), thresholds.data(), b == 0 ? 0 : ends[b - 1], ends[b],
             static_cast<std::uint32_t>(first), hits);
        std::copy_n(hits, last - first, found.hits.data() + b * draws + first);
      }
    });
    return found;
  }
};

Point ece_true(const Totals& t) {
  return ece_of_draws(t.bins, t.all.bin_hits, t.options(), static_cast<double>(t.rows));
}

Point aece_true(const Totals& t) {
  std::vector<Sum> gaps(t.mass.count);
  for (std::size_t i = 0; i < t.rows; ++i) {
    Sum& gap = gaps[t.mass.of_row[i]];
    gap.add(t.all.confidence[i]);
    if (t.all.agreement[i] >= 1.0) gap.add(-1.0);
  }
  std::vector<std::uint32_t> cells(t.mass.count);
  std::iota(cells.begin(), cells.end(), 0U);
  std::vector<double> values;
  for (const Sum& gap : gaps) values.push_back(gap.value());
  const DrawHits hits = draw_top(t.top_rows(), t.mass.of_row, t.mass.count, t.options());
  return error_of_draws(cells, values, hits, t.options(), static_cast<double>(t.rows));
}

bool listed_and_drawn(const Totals& t) { return rows_are_listed(t) && draws_are_made(t); }

}  // namespace

DrawHits draw_top(const TopRows& rows, const core::UnitBins& bins, const MetricOptions& options) {
  return Coins(rows, bins.count(), options.seed,
               [&](std::size_t i) { return bins.index(rows.confidence[i]); })
      .flip_all(options);
}

DrawHits draw_top(const TopRows& rows, std::span<const std::uint32_t> bin_of, std::size_t bins,
                  const MetricOptions& options) {
  return Coins(rows, bins, options.seed, [&](std::size_t i) { return bin_of[i]; })
      .flip_all(options);
}

Point ece_of_draws(const CellSums<BinTotals>& bins, const DrawHits& hits,
                   const MetricOptions& options, double rows) {
  std::vector<double> gaps;
  for (const BinTotals& bin : bins.totals) gaps.push_back(bin.confidence - bin.certain);
  return error_of_draws(bins.cells, gaps, hits, options, rows);
}

extern const Definition kEceTrue{
    .metric = {.name = "ece_true",
               .better = Direction::lower,
               .percent = true,
               .meaning = "calibration error against one drawn annotator each, mean of the draws",
               .definition =
                   "mean over S draws y ~ pi of sum_b |sum_{i in b} (conf - [y = ctop])| / n",
               .needs = Evidence::annotations,
               .monte_carlo = true,
               .interval = true,
               .why_no_interval = {}},
    .functional = {.of = {Statistic::bin_gap, Statistic::bin_variance, Statistic::none},
                   .term = folded},
    .point = ece_true,
    .available = draws_are_made};

extern const Definition kAeceTrue{
    .metric = {.name = "aece_true",
               .better = Direction::lower,
               .percent = true,
               .meaning = "ece_true with equally filled bins",
               .definition = "ece_true over equally filled bins",
               .needs = Evidence::annotations,
               .monte_carlo = true,
               .interval = true,
               .why_no_interval = {}},
    .functional = {.of = {Statistic::mass_gap, Statistic::mass_variance, Statistic::none},
                   .term = folded},
    .point = aece_true,
    .available = listed_and_drawn};

}  // namespace credence::metrics
