// Fills in what diagrams need, from the examples that were kept.
#pragma once

#include "credence/compare.hpp"

namespace credence::experiment {

/// `first`: the split that gets the larger diagrams too.
void add_diagrams(SplitResult& split, const Votes& votes, bool first, int threads);

VoteDiagrams vote_diagrams(const Votes& votes);

}  // namespace credence::experiment
