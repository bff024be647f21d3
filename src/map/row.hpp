// A single row through all stages, for callers that serve one example at a time: the bits of
// map/pipeline.hpp without the work on the empty rows of a tile.
#pragma once

#include <cstddef>
#include <span>

#include "credence/calibrator.hpp"

namespace credence::map {

/// Scores and probabilities may be the same.
void row_probabilities(std::span<const Stage> stages, Gauge gauge, std::size_t classes,
                       const float* scores, float* probabilities);
void row_probabilities(std::span<const Stage> stages, Gauge gauge, std::size_t classes,
                       const float* scores, double* probabilities);

}  // namespace credence::map
