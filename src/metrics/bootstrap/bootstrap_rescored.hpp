// bootstrap_rescored() with a limit of its own.
#pragma once

#include "credence/bootstrap.hpp"

namespace credence::metrics {

/// For the sums of one thread, and for the weights of groups: beyond it, evaluations and resamples
/// wait for each other, and rows are made again for each lot.
inline constexpr std::size_t kMostRescoredBytes = std::size_t{128} << 20;

BootstrapResult bootstrap_rescored(std::span<const Evaluation> evaluations, const Votes& votes,
                                   const MakeRowsAgain& make, std::span<const std::uint32_t> groups,
                                   std::span<const std::size_t> references,
                                   const BootstrapOptions& options, std::size_t most_bytes);

}  // namespace credence::metrics
