// What calibrating changes in the predicted classes.
#pragma once

#include <span>

#include "credence/evaluate.hpp"
#include "credence/row_work.hpp"
#include "credence/verdict.hpp"

namespace credence::experiment {

/// Both evaluations are of the same rows, and kept them. Intervals at `level`; over groups where
/// `groups` has an entry per row.
Decisions compare_decisions(const Evaluation& before, const Evaluation& after, const Votes& votes,
                            std::span<const std::uint32_t> groups, double level);

/// The same from sums over rows without groups: what a calibrator changes against the first.
Decisions decisions_of(const PairedDecisions& found, std::size_t calibrator, double level);

}  // namespace credence::experiment
