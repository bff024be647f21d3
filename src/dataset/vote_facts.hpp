// What all votes together are, found out row by row while they are taken in.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

#include "credence/dataset.hpp"

namespace credence::dataset {

/// The votes of one example, summed up.
struct VoteSummary {
  double total = 0.0;
  std::uint32_t winner = 0;  ///< the class with most votes, the lowest on ties
  bool tied = false;
};

inline VoteSummary summary_of(const std::uint32_t* classes, const double* weights,
                              std::size_t count) {
  VoteSummary row;
  double most = 0.0;
  for (std::size_t e = 0; e < count; ++e) {
    const double weight = weights[e];
    row.total += weight;
    row.tied = weight == most || (row.tied && weight < most);
    row.winner = weight > most ? classes[e] : row.winner;
    most = std::max(most, weight);
  }
  return row;
}

/// Whether all weights are whole numbers. Nearly all are small, which is found out many at a time.
inline bool are_whole(std::span<const double> weights) {
  bool small = true;
  for (const double weight : weights) {
    small &= weight < 0x1p31 && static_cast<double>(static_cast<std::int32_t>(weight)) == weight;
  }
  return small || std::ranges::all_of(weights, [](double w) { return w == std::floor(w); });
}

/// The same for all rows.
struct VoteKind {
  bool whole;
  std::size_t rows = 0, ties = 0;
  bool every_total_one = true;

  void add(const VoteSummary& row) {
    ++rows;
    ties += row.tied ? 1 : 0;
    every_total_one = every_total_one && std::abs(row.total - 1.0) <= kShareTolerance;
  }
  /// The same for many rows: their totals, and which are tied.
  void add(std::span<const double> totals, std::span<const unsigned char> tied) {
    rows += totals.size();
    std::size_t more = 0;
    for (const unsigned char one : tied) more += one != 0 ? 1 : 0;
    ties += more;
    bool all_one = true;
    for (const double total : totals) all_one &= std::abs(total - 1.0) <= kShareTolerance;
    every_total_one = every_total_one && all_one;
  }
  void add(const VoteKind& more) {
    whole = whole && more.whole;
    rows += more.rows;
    ties += more.ties;
    every_total_one = every_total_one && more.every_total_one;
  }
  bool are_shares() const { return rows > 0 && every_total_one && !whole; }
  Evidence evidence(bool voted_only) const {
    if (rows == 0) return Evidence::none;
    if (voted_only) return Evidence::voted;
    return whole && every_total_one ? Evidence::annotations : Evidence::distributions;
  }
};

}  // namespace credence::dataset
