#include "metrics/sums/totals.hpp"

#include <algorithm>

#include "core/sort_pairs.hpp"
#include "metrics/bins/equal_mass.hpp"
#include "metrics/numbers/sum.hpp"

namespace credence::metrics {

MassBins::MassBins(std::span<const double> confidence, int bins) : of_row(confidence.size()) {
  std::vector<std::pair<double, double>> sorted(confidence.size());  // confidence and row
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    sorted[i] = {confidence[i], static_cast<double>(i)};
  }
  core::sort_pairs(sorted);
  const std::vector<MassBin> found = equal_mass_bins(sorted, bins);
  count = found.size();
  for (std::size_t b = 0; b < count; ++b) {
    for (std::size_t i = found[b].first; i < found[b].last; ++i) {
      of_row[static_cast<std::size_t>(sorted[i].second)] = static_cast<std::uint32_t>(b);
    }
  }
}

namespace {

void fill_bins(const Totals& t, Sums& sums) {
  for (std::size_t i = 0; i < t.bins.cells.size(); ++i) {
    const std::size_t cell = t.bins.cells[i];
    const BinTotals& bin = t.bins.totals[i];
    sums.at(Statistic::bin_count, cell) = bin.count;
    sums.at(Statistic::bin_gap, cell) = bin.gap;
    sums.at(Statistic::bin_gap_square, cell) = bin.gap_square;
    sums.at(Statistic::bin_variance, cell) = bin.variance;
    sums.at(Statistic::bin_voted_gap, cell) = bin.voted_gap;
  }
  for (std::size_t i = 0; i < t.cells.cells.size(); ++i) {
    sums.at(Statistic::class_gap, t.cells.cells[i]) = t.cells.totals[i].gap;
    sums.at(Statistic::class_variance, t.cells.cells[i]) = t.cells.totals[i].variance;
  }
}

void fill_mass_bins(const Totals& t, Sums& sums) {
  std::vector<Sum> gaps(t.mass.count), variances(t.mass.count);
  for (std::size_t i = 0; i < t.mass.of_row.size(); ++i) {
    const double r = t.all.agreement[i];
    gaps[t.mass.of_row[i]].add(t.all.confidence[i] - r);
    variances[t.mass.of_row[i]].add(r * (1.0 - r));
  }
  for (std::size_t b = 0; b < t.mass.count; ++b) {
    sums.at(Statistic::mass_gap, b) = gaps[b].value();
    sums.at(Statistic::mass_variance, b) = variances[b].value();
  }
}

}  // namespace

Totals::Totals(const Summary& summary)
    : all(summary),
      rows(static_cast<std::size_t>(summary.end_row - summary.first_row)),
      classes(summary.classes),
      bins(summary.bins.total()),
      cells(summary.cells.total()),
      mass(summary.confidence, summary.options.bins),
      sums(Layout(static_cast<std::size_t>(summary.options.bins), mass.count,
                  classes * static_cast<std::size_t>(summary.options.bins))) {
  const std::vector<double> scalars = summary.scalars.total();
  std::copy_n(scalars.begin(), kScalars, sums.slots.begin());
  infinite_nll_rows = static_cast<std::size_t>(scalars[kScalars]);
  repeated_rows = static_cast<std::size_t>(sums.at(Statistic::repeated));
  fill_bins(*this, sums);
  fill_mass_bins(*this, sums);
}

}  // namespace credence::metrics
