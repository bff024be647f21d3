// The alternatives of make_target, one file each where they are more than a line.
#pragma once

#include <cstdint>

#include "credence/target.hpp"

namespace credence::target {

/// The share of votes of every class. make_target asks for several votes per example before it
/// calls them a distribution; experiments that fit to single votes come here directly.
Targets shares_of_votes(const Votes& votes);
Targets sampled(const Sampled& spec, const Votes& votes, std::uint64_t seed);
Targets smoothed(const Smoothed& spec, const Dataset& data);

}  // namespace credence::target
