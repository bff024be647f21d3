// Resampling annotators as well: the votes of every drawn example are drawn anew from its own.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "metrics/bootstrap/resample_subject.hpp"

namespace credence::metrics {

/// For each subject the slots of its sums over one resample, in which row i occurs
/// weight[i] times, each time with as many votes as it has, drawn with replacement from them.
/// Draw d of copy c of row i of resample r depends on (seed, r, i, c, d) alone, so all subjects see
/// the same votes.
std::vector<std::vector<double>> redrawn_sums(std::span<const ResampleSubject> subjects,
                                              std::span<const std::uint8_t> weight,
                                              std::uint64_t seed, std::uint64_t resample);

}  // namespace credence::metrics
