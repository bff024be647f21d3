// All rows of an evaluation, summed: what the metrics are computed from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "metrics/sums/statistics.hpp"
#include "metrics/sums/summary.hpp"

namespace credence::metrics {

/// Bins of confidence that hold equally many rows.
struct MassBins {
  std::vector<std::uint32_t> of_row;
  std::size_t count = 0;

  MassBins(std::span<const double> confidence, int bins);
};

struct Totals {
  explicit Totals(const Summary& rows);

  const Summary& all;
  std::size_t rows, classes;
  std::size_t infinite_nll_rows;
  /// Rows with two votes or more.
  std::size_t repeated_rows;
  CellSums<BinTotals> bins;
  CellSums<ClassTotals> cells;
  MassBins mass;
  Sums sums;

  const MetricOptions& options() const { return all.options; }
  double mean(double sum) const { return sum / static_cast<double>(rows); }
  bool listed() const { return all.options.list_rows; }
  TopRows top_rows() const { return {all.first_row, all.confidence, all.agreement}; }
};

// evaluation_of.cpp
Evaluation evaluation_of(const Totals& t);
// reliability.cpp
std::vector<ReliabilityBin> reliability(const Totals& t);
// pointwise.cpp
std::vector<EntropyBin> pointwise_by_entropy(const Totals& t);
// second_order.cpp
std::vector<DisagreementBin> disagreement_bins(const Totals& t);
// table.cpp
std::vector<MetricValue> compute_metrics(const Totals& t);

}  // namespace credence::metrics
