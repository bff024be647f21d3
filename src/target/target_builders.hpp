// Targets of some of the rows. What a rule needs to know of all rows (the smoothing weights) is
// found before, as sums over blocks.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "credence/target.hpp"

namespace credence::target {

/// Rows whose targets are wanted.
struct RowsView {
  std::size_t first = 0;  ///< number of the first row among all
  Scores scores;
  const Votes* votes = nullptr;
  std::span<const std::uint64_t> keys = {};  ///< by which rows are drawn, or empty: by number
  std::size_t votes_first = 0;               ///< where the first row stands in `votes`

  std::uint32_t voted(std::size_t i) const { return votes->voted(votes_first + i); }
  RowsView block(std::size_t from, std::size_t count) const {
    return {first + from, scores.block(from, count), votes,
            keys.empty() ? keys : keys.subspan(from, count), votes_first + from};
  }
};

/// The targets of these rows, which may borrow their votes; `epsilon` are the smoothing weights.
Targets of_rows(const TargetSpec& spec, std::span<const double> epsilon, const RowsView& rows,
                std::uint64_t seed);

/// How many sums over rows the smoothing weights come from; 0: none are needed.
std::size_t doubt_sums(const TargetSpec& spec, std::size_t classes);
/// Adds the rows to those sums.
void add_doubt(const TargetSpec& spec, const RowsView& rows, double* sums);
/// The smoothing weights, from the sums over all rows.
std::vector<double> epsilon_of(const TargetSpec& spec, std::span<const double> sums,
                               std::size_t rows);

Targets sampled(const Sampled& spec, const RowsView& rows, std::uint64_t seed);
Targets smoothed(const Smoothed& spec, std::span<const double> epsilon, const RowsView& rows);

/// Throws Error(evidence), naming a method that the evidence does allow.
void check_evidence(const TargetSpec& spec, Evidence found);

}  // namespace credence::target
