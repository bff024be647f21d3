// Fills in what diagrams need, from the examples that were kept.
#pragma once

#include "credence/compare.hpp"

namespace credence::experiment {

/// `test` are the rows that were scored; their groups, where there are any, are the units of all
/// standard errors. `first`: the split that gets the larger diagrams too.
void add_diagrams(SplitResult& split, const Dataset& test, bool first, int threads);

/// The standard errors of the entropy bins over groups, which an Evaluation does not know; nothing
/// without groups. The evaluation must have kept its rows.
void group_entropy_errors(Evaluation& evaluation, std::span<const std::uint32_t> groups);

/// Whether m votes are m annotators: whole numbers, and not shares.
bool are_counts(const Votes& votes);

VoteDiagrams vote_diagrams(const Votes& votes);

}  // namespace credence::experiment
