// to_finite_logits into memory that the caller has, row by row.
#pragma once

#include <cstddef>
#include <span>

#include "credence/dataset.hpp"

namespace credence {

/// Returns how many entries were raised; `out` may not overlap `row`. Call after check_scores.
std::size_t finite_logits(std::span<const float> row, ScoreKind kind, std::span<float> out);
std::size_t finite_logits(std::span<const double> row, ScoreKind kind, std::span<float> out);

}  // namespace credence
