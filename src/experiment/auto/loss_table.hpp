// What candidates lose on held-out rows: all that the choice among them looks at.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "credence/row_work.hpp"

namespace credence::experiment {

/// Means over rows and their standard errors, of each candidate and of every difference.
struct LossTable {
  double rows = 0.0;
  std::vector<double> mean, error;  ///< of nll, by candidate
  std::vector<double> gap_error;    ///< of nll_a - nll_b: entry a * candidates + b
  std::vector<double> infinite;     ///< rows with infinite nll, by candidate

  std::size_t candidates() const { return mean.size(); }
  double error_between(std::size_t a, std::size_t b) const {
    return gap_error[a * candidates() + b];
  }
};

/// From sums over rows.
LossTable table_of(const PairedLosses& losses);

/// From every row's nll, candidate by candidate; rows of a group vary together. Looks at the rows
/// whose fold is not `without`.
LossTable table_of(std::span<const std::vector<double>> nll, std::span<const std::uint32_t> fold,
                   std::span<const std::uint32_t> groups, std::uint32_t without);

/// For table_of: the rows of all folds.
inline constexpr std::uint32_t kNoFold = ~std::uint32_t{0};

}  // namespace credence::experiment
