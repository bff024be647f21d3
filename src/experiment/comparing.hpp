// What comparing is made of, wherever the rows are.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "credence/compare.hpp"
#include "credence/solver.hpp"

namespace credence::experiment {

inline constexpr std::string_view kUncalibrated = "uncalibrated", kOracle = "oracle-ts";

/// Folds and seeds that there can be.
void check_options(const CompareOptions& options);

/// What is compared, and what of the catalogue is not.
struct Methods {
  std::vector<MethodSpec> compared;
  std::vector<std::string> left_out;
};

/// Everything that the evidence allows, but for maps with more parameters than rows to fit them to:
/// they cannot win, and with 1,000 classes take hours to lose. Whoever names a method gets it.
Methods methods_to_compare(const CompareOptions& options, const RowsInfo& calibration);

/// What differences are taken against: the chosen reference, the scores as they are, the
/// candidate, and whatever is best by some metric, so that "best within noise" can be told by
/// paired intervals.
std::vector<std::size_t> reference_methods(const SplitResult& result, std::string_view chosen);

/// Values and differences with the intervals of a bootstrap over the methods in their order.
void take_intervals(BootstrapResult intervals, SplitResult& result);
/// Values and differences without intervals.
void values_alone(SplitResult& result, const std::vector<std::size_t>& references);

/// Best first; an infinite nll has no value and ranks last; equals keep the order of the catalogue.
void rank_by_nll(SplitResult& result);

std::vector<MethodSpread> spread_over(const std::vector<SplitResult>& splits);

}  // namespace credence::experiment
