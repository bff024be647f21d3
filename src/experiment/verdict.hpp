// From what was chosen on calibration rows, and how it did on test rows, to advice.
#pragma once

#include "credence/compare.hpp"
#include "experiment/recommend.hpp"

namespace credence::experiment {

/// The choice among the fitted methods, by held-out calibration rows alone.
struct Choice {
  std::string candidate;  ///< never the model as it is, unless nothing else could be fitted
  std::string why;
  std::string keeper;  ///< the best one that keeps every prediction
  bool gains = false;  ///< it is ahead of the model as it is by two standard errors
};
Choice choose(const std::vector<Candidate>& candidates, std::span<const std::uint32_t> groups,
              bool keep_predictions);

/// The rows, or their groups, are too few to tell methods apart.
bool too_few_to_choose(const Dataset& calibration, const Dataset& evaluation);
/// What is advised then: one temperature; the model as it is where groups are what is missing,
/// since a temperature of a few patients may be wrong for all others.
std::string_view default_method(const Dataset& calibration, const Dataset& evaluation);

/// Whether predictions agree with annotators no more than they would by chance: the rows of scores
/// and votes may not belong together, and nothing can be advised.
bool agrees_by_chance(const Evaluation& model, const Votes& votes,
                      std::span<const std::uint32_t> groups);

/// Sets verdict, recommended and what belongs to them, from the candidate and the intervals of
/// `result`.
void reach_verdict(SplitResult& result, const Choice& choice, const Dataset& calibration,
                   const Dataset& evaluation, const CompareOptions& options);

}  // namespace credence::experiment
