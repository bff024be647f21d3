// Calibration error class by class against one annotator drawn for each example, by Monte Carlo.
// Unlike for the predicted class alone, the whole answer of the annotator matters here.
#include <algorithm>

#include "core/parallel.hpp"
#include "core/wide.hpp"
#include "metrics/catalogue/definition.hpp"
#include "metrics/numbers/monte_carlo.hpp"
#include "metrics/rows/scored.hpp"

namespace credence::metrics {
namespace {

/// The answers of kDrawBlock draws to one question: how many of the thresholds each reaches.
/// Counted, not searched: draws then take no unforeseen turns.
[[gnu::always_inline]] inline void choose_each(std::uint64_t key, std::uint32_t draw,
                                               const std::uint32_t* below, std::size_t count,
                                               std::uint32_t* answer) {
  std::uint32_t x[kDrawBlock];
  for (std::uint32_t d = 0; d < kDrawBlock; ++d) {
    x[d] = draw_bits(key, draw + d);
    answer[d] = 0;
  }
  for (std::size_t e = 0; e < count; ++e) {
    for (std::size_t d = 0; d < kDrawBlock; ++d) answer[d] += x[d] >= below[e] ? 1U : 0U;
  }
}

#ifdef CREDENCE_WIDE
/// The same for registers that hold a whole block. Whole numbers: the same result.
__attribute__((target("avx2"), optimize("O3"))) void choose_wide(std::uint64_t key,
                                                                 std::uint32_t draw,
                                                                 const std::uint32_t* below,
                                                                 std::size_t count,
                                                                 std::uint32_t* answer) {
  choose_each(key, draw, below, count, answer);
}
#endif

void choose(std::uint64_t key, std::uint32_t draw, const std::uint32_t* below, std::size_t count,
            std::uint32_t* answer) {
#ifdef CREDENCE_WIDE
  if (core::kHasWide) return choose_wide(key, draw, below, count, answer);
#endif
  choose_each(key, draw, below, count, answer);
}

/// The answers to draw from. An example's first answer is the predicted class where anybody chose
/// it, so that draw s is the same event here as it is for ece_true.
class Answers {
 public:
  explicit Answers(const Scored& s) : first_{0} {
    std::size_t entry = 0;
    for (std::size_t i = 0; i < s.rows(); ++i) {
      const VoteRow row = s.vote_row(i);
      const std::size_t count = row.classes.size();
      if (count > 1) add_row(s, i, row, entry);
      entry += count;
    }
    number_cells(s.classes * s.bins.count());
  }
  std::size_t rows() const { return keys_.size(); }
  /// Those of any answer, ascending.
  const std::vector<std::uint32_t>& cells() const { return cells_; }

  /// How often each cell was the answer in draws first .. first + kDrawBlock - 1.
  void draw(std::size_t first, std::vector<std::uint32_t>& counts) const {
    counts.assign(cells_.size() * kDrawBlock, 0);
    for (std::size_t i = 0; i < keys_.size(); ++i) {
      const std::size_t begin = first_[i], last = first_[i + 1] - 1;
      alignas(32) std::uint32_t answer[kDrawBlock];
      choose(keys_[i], static_cast<std::uint32_t>(first), below_.data() + begin, last - begin,
             answer);
      for (std::size_t d = 0; d < kDrawBlock; ++d) {
        ++counts[place_[begin + answer[d]] * kDrawBlock + d];
      }
    }
  }

 private:
  /// Finds the cells of any answer, and replaces the cell of every answer by its place among them.
  void number_cells(std::size_t all) {
    if (all <= place_.size()) {
      std::vector<std::uint32_t> place_of(all, 0);
      for (const std::uint32_t cell : place_) place_of[cell] = 1;
      for (std::uint32_t cell = 0; cell < all; ++cell) {
        if (place_of[cell] == 0) continue;
        place_of[cell] = static_cast<std::uint32_t>(cells_.size());
        cells_.push_back(cell);
      }
      for (std::uint32_t& place : place_) place = place_of[place];
      return;
    }
    cells_ = place_;
    std::sort(cells_.begin(), cells_.end());
    cells_.erase(std::unique(cells_.begin(), cells_.end()), cells_.end());
    for (std::uint32_t& place : place_) {
      place = static_cast<std::uint32_t>(std::lower_bound(cells_.begin(), cells_.end(), place) -
                                         cells_.begin());
    }
  }
  void add_row(const Scored& s, std::size_t i, VoteRow row, std::size_t entry) {
    const double m = s.vote_total(i);
    double chosen = 0.0;
    const auto add = [&](std::size_t v) {
      chosen += row.weights[v] / m;
      below_.push_back(chance_threshold(std::min(chosen, 1.0)));
      place_.push_back(s.vote_cell[entry + v]);
    };
    const auto top = static_cast<std::size_t>(
        std::find(row.classes.begin(), row.classes.end(), s.predicted[i]) - row.classes.begin());
    if (top < row.classes.size()) add(top);
    for (std::size_t v = 0; v < row.classes.size(); ++v) {
      if (v != top) add(v);
    }
    keys_.push_back(draw_key(s.options.seed, s.first_row + i));
    first_.push_back(place_.size());
  }

  std::vector<std::uint64_t> keys_;
  std::vector<std::uint32_t> below_;  ///< threshold of this answer or an earlier one
  std::vector<std::size_t> first_;
  std::vector<std::uint32_t> cells_;
  std::vector<std::uint32_t> place_;  ///< of the answer's cell among cells_
};

Point cwece_true(const Totals& t) {
  std::vector<double> gaps;
  for (const ClassTotals& cell : t.cells.totals) gaps.push_back(cell.probability - cell.certain);
  return error_of_draws(t.cells.cells, gaps, t.all.cell_hits, t.options(),
                        static_cast<double>(t.rows) * static_cast<double>(t.classes));
}

}  // namespace

DrawHits draw_classes(const Scored& s) {
  const Answers answers(s);
  const auto draws = static_cast<std::size_t>(s.options.draws);
  DrawHits found{answers.cells(), std::vector<std::uint64_t>(answers.cells().size() * draws)};
  const int threads =
      answers.rows() * draws < 1'000'000 ? 1 : core::resolve_threads(s.options.threads);
  core::parallel_for(threads, (draws + kDrawBlock - 1) / kDrawBlock, [&](std::size_t block) {
    const std::size_t first = block * kDrawBlock, last = std::min(first + kDrawBlock, draws);
    std::vector<std::uint32_t> counts;
    answers.draw(first, counts);
    for (std::size_t c = 0; c < answers.cells().size(); ++c) {
      std::copy_n(counts.data() + c * kDrawBlock, last - first,
                  found.hits.data() + c * draws + first);
    }
  });
  return found;
}

extern const Definition kCweceTrue{
    .metric = {.name = "cwece_true",
               .better = Direction::lower,
               .percent = true,
               .meaning = "calibration error of every class against one drawn annotator each, mean "
                          "of the draws",
               .definition = "mean over S draws y ~ pi and over k of "
                             "sum_b |sum_{i: p_k in b} (p_k - [y = k])| / n",
               .needs = Evidence::annotations,
               .monte_carlo = true,
               .interval = true,
               .why_no_interval = {}},
    .functional = {.of = {Statistic::class_gap, Statistic::class_variance, Statistic::none},
                   .term = folded},
    .mean_over_classes = true,
    .point = cwece_true,
    .available = draws_are_made};

}  // namespace credence::metrics
