// The rows of `auto`, dealt into folds, wherever they are: fits to all of them or to all but a
// fold, and losses on each fold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "credence/auto_fit.hpp"
#include "experiment/auto/loss_table.hpp"
#include "experiment/rows/fits_in_passes.hpp"

namespace credence::experiment {

/// One fit: a calibrator, or why there is none.
struct FitOutcome {
  Calibrator calibrator;
  std::string problem;
  std::shared_ptr<const FitCurvature> curvature = nullptr;  ///< what led the fit
};

/// Which rows a fit sees: all of them, all but a fold, or a fold alone.
struct FoldRows {
  std::uint32_t without = kNoFold, only = kNoFold;
  bool operator==(const FoldRows&) const = default;
  bool operator<(const FoldRows& other) const {
    return std::pair(without, only) < std::pair(other.without, other.only);
  }
  bool all() const { return without == kNoFold && only == kNoFold; }
};

struct FitJob {
  const MethodSpec* method = nullptr;
  FoldRows rows = {};
  bool roughly = false;               ///< only well enough to be judged: kFoldTolerance
  const Calibrator* start = nullptr;  ///< where to begin; null: as the map does
  std::shared_ptr<const FitCurvature> curvature = nullptr;  ///< what led the fit of that start
  const Calibrator* front = nullptr;  ///< its first stages, fitted to the same rows
};

/// Held-out nll is flat at a fit's optimum: a gradient of 1e-6 moves it by less than 1e-9.
inline constexpr double kFoldTolerance = 1e-6;

class FoldWork {
 public:
  virtual ~FoldWork() = default;
  virtual RowsInfo info() const = 0;
  /// Folds that hold rows, numbered from 0; fewer than 2 when none can be held out.
  virtual std::uint32_t folds() const = 0;
  virtual const std::vector<std::uint32_t>& fold_of_rows() const = 0;
  /// Whether rows come in groups, which vary together.
  virtual bool has_groups() const { return false; }
  /// What should be known about how the rows were dealt.
  virtual std::vector<std::string> notes() const { return {}; }
  virtual std::vector<FitOutcome> fit(const std::vector<FitJob>& jobs) = 0;
  /// Looks at by_fold[f][c] on the rows of fold f, for the tables below. Folds without groups may
  /// be left out.
  virtual void lose(const std::vector<std::vector<Calibrator>>& by_fold) = 0;
  /// What lose() saw on all folds but one; kNoFold: on all.
  virtual LossTable table(std::uint32_t without) const = 0;
};

/// The table of all folds but one, from the sums of each.
LossTable table_without(std::span<const PairedLosses> by_fold, std::uint32_t without);

/// `data` and `progress` must outlive the result.
std::unique_ptr<FoldWork> folds_in_memory(const Dataset& data, const FitOptions& options,
                                          const AutoProgress& progress, std::size_t fits);

/// Rows that carry tags already, and which tags each fold has.
struct TaggedFolds {
  RowsInfo info;  ///< of all of them together
  TagSet all = all_tags();
  std::vector<TagSet> folds = {};           ///< fewer than 2: none can be held out
  std::vector<std::uint32_t> of_rows = {};  ///< the fold of every row, where it is known
};
/// Deals all rows into folds and tags them.
TaggedFolds deal_rows(RowWorker& rows);
/// `rows` and `options` must outlive the result.
std::unique_ptr<FoldWork> folds_elsewhere(RowWorker& rows, TaggedFolds folds,
                                          const FitOptions& options, PassLimits limits);

/// What a choice found that another from more rows of the same kind need not find again; empty
/// where there was none, or where rows were too few to tell.
struct AutoLead {
  std::size_t rows = 0;  ///< that were fitted to
  std::vector<FitOutcome> fits;
  std::vector<std::string> problems;  ///< why a candidate was left out; empty where it was not
  LossTable held_out, fitted;         ///< on other rows, and on these

  /// Why a candidate need not be tried with so many rows; empty where it may count.
  std::string ruled_out(std::size_t candidate, std::size_t rows_now) const;
};

/// Of methods that choose, by name.
using AutoLeads = std::map<std::string, AutoLead>;

/// The whole choice; `from` leads it, and it fills `to`.
AutoFit choose_automatically(const MethodSpec& method, FoldWork& work, const FitOptions& options,
                             const AutoLead& from = {}, AutoLead* to = nullptr);

}  // namespace credence::experiment
