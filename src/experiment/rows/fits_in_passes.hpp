// Fits to parts of rows that somebody else has: every pass serves all that ask, or as many as there
// is memory for.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "credence/methods.hpp"
#include "credence/row_work.hpp"

namespace credence::experiment {

/// What a fit lists of the rows: two numbers each for isotonic steps, once more while they are
/// sorted.
std::size_t listed_bytes(const MethodSpec& method, std::size_t rows);

/// A fit under way, or why it ended early.
struct RowFit {
  RowFit(const MethodSpec& method, const RowsInfo& info, const TagSet& part,
         const FitOptions& options);

  std::unique_ptr<Solver> solver;  ///< none after a problem
  TagSet rows;
  std::size_t row_count;
  std::string problem;
};

struct PassLimits {
  std::size_t sums_bytes = kSumsBytes;  ///< for the answers of one pass
  /// Called after each pass; may throw Error(cancelled).
  std::function<void(std::size_t fits_done, int passes)> after_pass = {};
};

/// Runs the fits to their end. What goes wrong in one is its problem, unless `strict`.
void finish(std::span<RowFit* const> fits, bool strict, RowWorker& rows, const PassLimits& limits);

}  // namespace credence::experiment
