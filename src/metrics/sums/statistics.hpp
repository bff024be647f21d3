// The sums that metrics are functions of. A row adds a few (slot, value) pairs; every metric is a
// sum of terms over cells, each term a function of the slots of its cell, divided by a count. One
// form for all of them gives the value (weight 1 for every row), its bootstrap (other weights) and
// its standard error (the derivative by the weight of a row) without code per metric.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace credence::metrics {

/// What is summed. Those of one line share their cells.
enum class Statistic : std::uint8_t {
  // One cell: all rows.
  count,
  hit,
  agreement,
  entropy,
  nll,
  brier,
  disagreement,
  pointwise,
  total_variation,
  entropy_gap,
  ranking,
  // One cell: the rows with two votes or more, of which `repeated` is the number.
  repeated,
  brier_unbiased,
  ceiling,
  dm_nll,
  predicted_disagreement,
  // One cell per confidence bin. The variance is r (1 - r), of one drawn annotator.
  bin_count,
  bin_gap,
  bin_gap_square,
  bin_variance,
  bin_voted_gap,
  // One cell per equally filled bin of confidence; the bins stay those of the evaluated rows.
  mass_gap,
  mass_variance,
  // One cell per class and bin of its probability.
  class_gap,
  class_variance,
  // Stands for "no further statistic".
  none,
};

inline constexpr std::size_t kStatistics = static_cast<std::size_t>(Statistic::none);
/// The statistics with a single cell come first.
inline constexpr std::size_t kScalars = static_cast<std::size_t>(Statistic::bin_count);

/// Where the slots of each statistic lie: scalars first, then bins, classes last.
class Layout {
 public:
  /// `class_cells` may be 0 when the cells of the classes were not kept.
  Layout(std::size_t bins, std::size_t mass_bins, std::size_t class_cells) {
    for (std::size_t s = 0; s < kStatistics; ++s) {
      const auto statistic = static_cast<Statistic>(s);
      cells_[s] = s < kScalars                       ? 1
                  : statistic < Statistic::mass_gap  ? bins
                  : statistic < Statistic::class_gap ? mass_bins
                                                     : class_cells;
      first_[s] = slots_;
      slots_ += cells_[s];
    }
  }
  std::size_t first(Statistic s) const { return first_[static_cast<std::size_t>(s)]; }
  std::size_t cells(Statistic s) const { return cells_[static_cast<std::size_t>(s)]; }
  std::size_t slots() const { return slots_; }

 private:
  std::array<std::size_t, kStatistics> first_{}, cells_{};
  std::size_t slots_ = 0;
};

/// The slots of all statistics, filled.
struct Sums {
  Layout layout;
  std::vector<double> slots;

  explicit Sums(const Layout& the_layout) : layout(the_layout), slots(the_layout.slots(), 0.0) {}
  double& at(Statistic s, std::size_t cell = 0) { return slots[layout.first(s) + cell]; }
  std::span<double> of(Statistic s) { return {slots.data() + layout.first(s), layout.cells(s)}; }
};

/// totals[lane] += a function of sums[0][lane], sums[1][lane], ... for every lane: one cell, as
/// many resamples as there are lanes.
using Term = void (*)(const double* const* sums, std::size_t lanes, double* totals);

/// A function of one number or more as a term.
template <auto of>
void each_lane(const double* const* sums, std::size_t lanes, double* totals) {
  for (std::size_t l = 0; l < lanes; ++l) {
    if constexpr (requires { of(0.0); }) {
      totals[l] += of(sums[0][l]);
    } else if constexpr (requires { of(0.0, 0.0); }) {
      totals[l] += of(sums[0][l], sums[1][l]);
    } else {
      totals[l] += of(sums[0][l], sums[1][l], sums[2][l]);
    }
  }
}

/// A metric as a function of sums: sum over cells of term(the cell's slots) / per / divisor.
struct Functional {
  static constexpr std::size_t kMost = 3;
  std::array<Statistic, kMost> of{Statistic::none, Statistic::none, Statistic::none};
  Term term = nullptr;
  Statistic per = Statistic::count;

  double value(const Layout& layout, std::span<const double> slots, double divisor) const;
  /// The same for many sets of sums side by side: slots[slot * lanes + lane].
  void values(const Layout& layout, std::span<const double> slots, std::size_t lanes,
              double divisor, double* out) const;
  /// Adds to `gradient` (one entry per slot) the derivative of `value` by each slot, by central
  /// differences of the terms.
  void differentiate(const Layout& layout, std::span<const double> slots, double divisor,
                     std::span<double> gradient) const;
};

}  // namespace credence::metrics
