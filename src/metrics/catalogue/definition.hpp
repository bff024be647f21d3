// A metric: its row in the catalogue and how it is computed. One file per metric or tight family
// defines them; table.cpp lists them.
#pragma once

#include <cmath>
#include <optional>

#include "metrics/sums/point.hpp"
#include "metrics/sums/totals.hpp"

namespace credence::metrics {

/// Errors whose interval is not read off the resampled values; inverted_interval.hpp says why.
enum class OfGaps : std::uint8_t { magnitude, square };

struct Definition {
  Metric metric;
  /// The metric as a function of sums; what bootstrap() resamples. Without a term: none.
  Functional functional = {};
  bool mean_over_classes = false;
  /// The value where the sums do not give it exactly; null: the functional of the sums.
  Point (*point)(const Totals&) = nullptr;
  /// False when the rows scored cannot give the metric; null: they always can.
  bool (*available)(const Totals&) = nullptr;
  /// Set for what is a sum over confidence bins of the magnitude or the square of their gaps.
  std::optional<OfGaps> of_gaps = {};

  Point compute(const Totals& t) const {
    if (available != nullptr && !available(t)) return {};
    if (point != nullptr) return point(t);
    return {functional.value(t.sums.layout, t.sums.slots, divisor(t.classes)), {}};
  }
  /// A mean over rows, not a function of sums over bins.
  bool is_mean() const { return functional.of[0] < Statistic::bin_count; }
  /// True when the other is the same function of sums.
  bool resampled_like(const Definition& other) const {
    return functional.term == other.functional.term && functional.of == other.functional.of &&
           functional.per == other.functional.per && mean_over_classes == other.mean_over_classes;
  }
  double divisor(std::size_t classes) const {
    return mean_over_classes ? static_cast<double>(classes) : 1.0;
  }
};

/// For metrics that need every row, sorted.
inline bool rows_are_listed(const Totals& t) { return t.listed(); }
inline bool draws_are_made(const Totals& t) { return t.options().draws > 0; }

/// For metrics that need two annotators of one example.
inline bool has_repeated_rows(const Totals& t) {
  return t.all.votes_are_counts && t.repeated_rows > 0;
}

inline double same(double sum) { return sum; }
inline double magnitude(double sum) { return std::abs(sum); }

/// A mean over all rows.
constexpr Functional mean_of(Statistic s) {
  return {.of = {s, Statistic::none, Statistic::none}, .term = each_lane<same>};
}
/// A mean over the rows with two votes or more.
constexpr Functional mean_over_repeated(Statistic s) {
  return {.of = {s, Statistic::none, Statistic::none},
          .term = each_lane<same>,
          .per = Statistic::repeated};
}
/// A sum over bins of the magnitude of the bin's sum, over n.
constexpr Functional magnitudes_of(Statistic s) {
  return {.of = {s, Statistic::none, Statistic::none}, .term = each_lane<magnitude>};
}

/// The mean of |gap + normal noise| from sums of gap and variance (folded normal distribution).
void folded(const double* const* sums, std::size_t lanes, double* totals);

/// All of them, in the order of metric_table().
std::span<const Definition* const> definitions();

}  // namespace credence::metrics
