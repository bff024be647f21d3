// How well each method predicts annotations that its fit has not seen, within one set of rows.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "credence/compare.hpp"

namespace credence::experiment {

/// What held-out rows say about a method.
struct HeldOut {
  std::vector<double> nll;  ///< per row; empty when a fit failed
  std::string problem;
};

/// Every row's nll under the fit to the other folds. One list of folds for all methods, so that
/// differences between them are paired. Fits start from those to all rows, `starts`, one for each
/// method. `step` is called after every fit.
std::vector<HeldOut> cross_validate(const std::vector<MethodSpec>& methods, const Dataset& data,
                                    std::span<const Calibrator* const> starts, std::uint32_t folds,
                                    const FitOptions& options, int threads,
                                    const std::function<void()>& step);

/// Mean and standard error (over groups where there are any) of a row's numbers.
struct MeanOverRows {
  double mean = 0.0, standard_error = 0.0;
};
MeanOverRows mean_over_rows(const std::vector<double>& values,
                            std::span<const std::uint32_t> groups);

}  // namespace credence::experiment
