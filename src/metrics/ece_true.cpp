// Calibration error against one annotator drawn for each example, by Monte Carlo. Only the event
// "the drawn annotator chose the predicted class" matters, so a draw is one coin flip per example.
#include <algorithm>

#include "core/parallel.hpp"
#include "core/wide.hpp"
#include "metrics/monte_carlo.hpp"
#include "metrics/rows_by_bin.hpp"

namespace credence::metrics {

Point average_of_draws(std::span<const double> values) {
  const auto count = static_cast<double>(values.size());
  Sum sum, squares;
  for (const double value : values) sum.add(value);
  const double mean = sum.value() / count;
  for (const double value : values) squares.add((value - mean) * (value - mean));
  if (values.size() < 2) return {mean, {}};
  return {mean, std::sqrt(squares.value() / (count - 1.0) / count)};
}

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

/// The examples whose annotators disagree about the predicted class, bin after bin.
struct Coins {
  struct Bin {
    std::size_t end;
    double gap;  ///< confidence of the bin less the agreement that is certain
  };
  std::vector<std::uint64_t> keys;
  std::vector<std::uint32_t> thresholds;
  std::vector<Bin> bins;

  template <class BinOf>
  Coins(const Scored& s, std::size_t bin_count, const BinOf& bin_of) {
    const RowsByBin by_bin(s.rows(), bin_count, bin_of);
    keys.reserve(s.rows());
    thresholds.reserve(s.rows());
    for (std::size_t b = 0; b < bin_count; ++b) {
      Sum gap;
      for (const std::size_t i : by_bin.bin(b)) {
        gap.add(s.confidence[i]);
        if (s.agreement[i] >= 1.0) gap.add(-1.0);
        if (s.agreement[i] <= 0.0 || s.agreement[i] >= 1.0) continue;
        keys.push_back(draw_key(s.options.seed, i));
        thresholds.push_back(chance_threshold(s.agreement[i]));
      }
      if (!by_bin.bin(b).empty()) bins.push_back({keys.size(), gap.value()});
    }
  }

  /// Sum over bins of |gap - hits| for draws first .. first + kDrawBlock - 1.
  void score(std::size_t first, double* totals) const {
    std::size_t done = 0;
    for (const Bin& bin : bins) {
      alignas(32) std::uint32_t hits[kDrawBlock] = {};
      flip(keys.data(), thresholds.data(), done, bin.end, static_cast<std::uint32_t>(first), hits);
      done = bin.end;
      for (std::size_t d = 0; d < kDrawBlock; ++d) {
        totals[d] += std::abs(bin.gap - static_cast<double>(hits[d]));
      }
    }
  }
};

Point flip_all(const Scored& s, const Coins& coins) {
  const auto draws = static_cast<std::size_t>(s.options.draws);
  const std::size_t blocks = (draws + kDrawBlock - 1) / kDrawBlock;
  std::vector<double> values(blocks * kDrawBlock, 0.0);
  // Starting threads costs more than flipping a few coins.
  const int threads =
      coins.keys.size() * draws < 1'000'000 ? 1 : core::resolve_threads(s.options.threads);
  core::parallel_for(threads, blocks, [&](std::size_t block) {
    coins.score(block * kDrawBlock, values.data() + block * kDrawBlock);
  });
  values.resize(draws);
  for (double& value : values) value = s.mean(value);
  return average_of_draws(values);
}

Point ece_true(const Scored& s) {
  return flip_all(
      s, Coins(s, s.bins.count(), [&](std::size_t i) { return s.bins.index(s.confidence[i]); }));
}

Point aece_true(const Scored& s) {
  return flip_all(s, Coins(s, s.mass_bins, [&](std::size_t i) { return s.mass_bin[i]; }));
}

bool drawn(const Scored& s) { return s.options.draws > 0; }

}  // namespace

const Definition kEceTrue{
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
    .available = drawn};

const Definition kAeceTrue{
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
    .available = drawn};

}  // namespace credence::metrics
