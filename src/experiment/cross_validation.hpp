// How well each method predicts annotations that its fit has not seen, within one set of rows.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "credence/auto_fit.hpp"
#include "credence/compare.hpp"
#include "credence/row_work.hpp"

namespace credence::experiment {

/// What held-out rows say about a method.
struct HeldOut {
  std::vector<double> nll = {};  ///< per row; empty when a fit failed, or rows are elsewhere
  std::string problem = {};
  /// Sums over all methods, of which this is number `place`; none where rows come in groups.
  std::shared_ptr<const PairedLosses> paired = {};
  std::size_t place = 0;
};

/// Every row's nll under the fit to the other folds. One list of folds for all methods, so that
/// differences between them are paired. Fits start from those to all rows, `starts`, one for each
/// method. `step` is called after every fit. Methods that choose have held rows out already:
/// `automatic` is empty, or has what they found in their places.
std::vector<HeldOut> cross_validate(const std::vector<MethodSpec>& methods, const Dataset& data,
                                    std::span<const Calibrator* const> starts, std::uint32_t folds,
                                    const FitOptions& options, int threads,
                                    const std::function<void()>& step,
                                    std::span<const AutoFit> automatic = {});

/// Mean and standard error (over groups where there are any) of a row's numbers.
struct MeanOverRows {
  double mean = 0.0, standard_error = 0.0;
};
MeanOverRows mean_over_rows(const std::vector<double>& values,
                            std::span<const std::uint32_t> groups);
/// The same of a method's held-out nll, and of how far `other` is ahead of `one`.
MeanOverRows mean_held_out(const HeldOut& one, std::span<const std::uint32_t> groups);
MeanOverRows lead(const HeldOut& other, const HeldOut& one, std::span<const std::uint32_t> groups);

/// Notes what is wrong with methods of which some row's nll is infinite.
void note_infinite(std::vector<HeldOut>& results);
/// Gives all of them their place in `paired`.
void share_losses(PairedLosses paired, std::vector<HeldOut>& results);

}  // namespace credence::experiment
