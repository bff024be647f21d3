// The alternatives of make_target, one file each where they are more than a line.
#pragma once

#include <cstdint>

#include "credence/target.hpp"

namespace credence::target {

Targets sampled(const Sampled& spec, const Dataset& data, std::uint64_t seed);
Targets smoothed(const Smoothed& spec, const Dataset& data);

}  // namespace credence::target
