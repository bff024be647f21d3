// How many annotations are needed: what the intervals would be for other numbers of examples and of
// votes per example, predicted from a pilot.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "credence/dataset.hpp"
#include "credence/fit.hpp"

namespace credence {

/// Variance of an estimate from n examples with m votes each: (between + within / m) / n. `between`
/// is what examples differ by, which only more examples average out; `within` is what votes for
/// one example differ by.
struct VarianceParts {
  double between = 0.0;
  std::optional<double> within;  ///< empty when no pilot example has two votes
  double total_at_pilot = 0.0;   ///< variance of one example's contribution, as observed
  /// Variance for n examples with m votes; empty when m differs from 1 and `within` is unknown.
  std::optional<double> variance(double n, double m) const;
};

struct PlannedWidth {
  std::size_t examples = 0;
  int votes = 0;
  /// Full widths of intervals; empty when the pilot cannot tell.
  std::optional<double> temperature, nll, ece_expected;
  /// What ece_expected would show on average: chance adds to it when examples or votes are few.
  std::optional<double> ece_shown;
};

struct PlanOptions {
  std::vector<std::size_t> examples{};  ///< empty: a quarter to four times the pilot
  std::vector<int> votes{1, 2, 3, 5, 10};
  double level = 0.95;
  int bins = 15;
  Gauge gauge = Gauge::log_probs;
  int threads = 0;
};

struct Plan {
  PlanOptions protocol;
  std::size_t pilot_rows = 0, repeated_rows = 0;
  double pilot_votes = 0.0;                                 ///< per example, on average
  double temperature = 0.0, nll = 0.0, ece_expected = 0.0;  ///< of the pilot
  VarianceParts temperature_parts, nll_parts, ece_parts;
  std::vector<PlannedWidth> grid;  ///< by examples, then votes
  double disputed_share =
      0.0;  ///< share of the variance from votes that the 20 % most disputed rows hold
  std::vector<std::string> advice;  ///< where one more annotation helps most
};

/// Fits one temperature to the pilot's votes and splits the variance of its estimating equation, of
/// nll and of the calibration gaps into examples and votes. Needs counted votes; majority labels or
/// shares are an Error(evidence). Cost: one fit and one pass.
Plan plan(const Dataset& pilot, const PlanOptions& options = {});

}  // namespace credence
