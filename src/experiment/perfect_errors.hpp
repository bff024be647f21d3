// What the error by entropy would be if a method were perfect.
#pragma once

#include <cstdint>

#include "credence/calibrator.hpp"
#include "credence/dataset.hpp"
#include "credence/metrics.hpp"

namespace credence::experiment {

/// Sets EntropyBin::perfect: the mean distance between confidence and agreement that as many votes
/// as each example has would show if they were drawn from the calibrator's own probabilities.
/// Chance alone keeps it above 0, most where annotators disagree. Drawn votes have an entropy of
/// their own, and fall into the bins by it, as the real ones do. The evaluation is of `test` under
/// the calibrator and kept its rows; votes must be counted.
void add_perfect_errors(Evaluation& evaluation, const Calibrator& calibrator, const Dataset& test,
                        std::uint64_t seed);

}  // namespace credence::experiment
