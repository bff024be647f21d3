// From what was chosen on calibration rows, and how it did on test rows, to advice.
#pragma once

#include "credence/compare.hpp"
#include "credence/row_work.hpp"
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

/// What a verdict has to know of the calibration rows, and of the test rows.
struct Judged {
  std::size_t rows = 0;
  std::span<const std::uint32_t> groups = {};
  Evidence evidence = Evidence::none;
  std::size_t units() const;  ///< rows, or groups where there are any
};
Judged judged(const Dataset& data);

/// The rows, or their groups, are too few to tell methods apart.
bool too_few_to_choose(const Judged& calibration, const Judged& evaluation);
/// What is advised then: one temperature; the model as it is where groups are what is missing,
/// since a temperature of a few patients may be wrong for all others.
std::string_view default_method(const Judged& calibration, const Judged& evaluation);

/// Whether predictions agree with annotators no more than they would by chance: the rows of scores
/// and votes may not belong together, and nothing can be advised.
bool agrees_by_chance(const Evaluation& model, const Votes& votes,
                      std::span<const std::uint32_t> groups);

/// The same from sums; `chosen` are the sums of annotators' shares by class.
bool agrees_by_chance(const PairedDecisions& found, std::span<const double> chosen);

/// Sets verdict, recommended and what belongs to them, from the candidate, the intervals and
/// by_chance of `result`.
void reach_verdict(SplitResult& result, const Choice& choice, const Judged& calibration,
                   const Judged& evaluation, double level);

}  // namespace credence::experiment
