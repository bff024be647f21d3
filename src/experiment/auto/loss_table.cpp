#include "experiment/auto/loss_table.hpp"

#include <cmath>

#include "experiment/cross_validation.hpp"

namespace credence::experiment {

LossTable table_of(const PairedLosses& losses) {
  const std::size_t m = losses.sum.size();
  LossTable table;
  table.rows = losses.rows;
  table.infinite = losses.infinite;
  table.gap_error.assign(m * m, 0.0);
  for (std::size_t a = 0; a < m; ++a) {
    const PairedLosses::Mean own = losses.of(a);
    table.mean.push_back(own.mean);
    table.error.push_back(own.standard_error);
    for (std::size_t b = 0; b < m; ++b) {
      if (a != b) table.gap_error[a * m + b] = losses.lead(a, b).standard_error;
    }
  }
  return table;
}

LossTable table_of(std::span<const std::vector<double>> nll, std::span<const std::uint32_t> fold,
                   std::span<const std::uint32_t> groups, std::uint32_t without) {
  const std::size_t m = nll.size();
  std::vector<std::size_t> rows;
  std::vector<std::uint32_t> group;
  for (std::size_t i = 0; i < fold.size(); ++i) {
    if (fold[i] == without) continue;
    rows.push_back(i);
    if (!groups.empty()) group.push_back(groups[i]);
  }
  LossTable table;
  table.rows = static_cast<double>(rows.size());
  table.infinite.assign(m, 0.0);
  table.gap_error.assign(m * m, 0.0);
  std::vector<std::vector<double>> finite(m);
  for (std::size_t a = 0; a < m; ++a) {
    for (const std::size_t i : rows) {
      const bool good = std::isfinite(nll[a][i]);
      table.infinite[a] += good ? 0.0 : 1.0;
      finite[a].push_back(good ? nll[a][i] : 0.0);
    }
    const MeanOverRows own = mean_over_rows(finite[a], group);
    table.mean.push_back(own.mean);
    table.error.push_back(own.standard_error);
    for (std::size_t b = 0; b < a; ++b) {
      std::vector<double> gap = finite[a];
      for (std::size_t i = 0; i < gap.size(); ++i) gap[i] -= finite[b][i];
      const double error = mean_over_rows(gap, group).standard_error;
      table.gap_error[a * m + b] = table.gap_error[b * m + a] = error;
    }
  }
  return table;
}

}  // namespace credence::experiment
