// `auto`: fits every candidate of a table, judges them on rows that their fits have not seen, and
// gives the mean of the good ones, weighted by how good they are (docs/auto.md).
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "credence/calibrator.hpp"
#include "credence/dataset.hpp"
#include "credence/fit.hpp"
#include "credence/methods.hpp"
#include "credence/row_work.hpp"

namespace credence {

/// Folds of the cross-validation, and the seed that deals rows into them. Both are fixed, so that
/// the result depends on the data alone.
inline constexpr std::uint32_t kAutoFolds = 5;
inline constexpr std::uint64_t kAutoSeed = 0;

struct AutoFit {
  Calibrator calibrator;
  /// The fold of every row, and for each fold what would have been chosen without it: fitted to the
  /// other rows, with the weights that these rows give. Empty where no row could be held out.
  std::vector<std::uint32_t> fold;
  std::vector<Calibrator> without;
};

/// Called after every fit or pass with the share done; return false to stop with Error(cancelled).
using AutoProgress = std::function<bool(double share)>;

/// Rows in memory; whole groups are held out where the data have them. Every fit that cannot work
/// is reported in the selection and left out; with nothing to go by the scores stay as they are.
AutoFit fit_auto(const MethodSpec& method, const Dataset& data, const FitOptions& options = {},
                 const AutoProgress& progress = {});

/// Rows wherever they are: the same bytes as in memory without groups. Tags the rows. Fits share
/// passes as far as the sums of a pass take no more than `sums_bytes`.
AutoFit fit_auto(const MethodSpec& method, RowWorker& rows, const FitOptions& options = {},
                 const AutoProgress& progress = {}, std::size_t sums_bytes = kSumsBytes);

/// Any method, whether it chooses or not.
Calibrator fit_any(const MethodSpec& method, const Dataset& data, const FitOptions& options = {});

}  // namespace credence
