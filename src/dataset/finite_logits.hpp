// check_scores and to_finite_logits for a row, into memory that the caller has.
#pragma once

#include <cstddef>
#include <span>

#include "credence/dataset.hpp"

namespace credence {

/// Whether check_scores has nothing to object to the row, and finite_logits nothing to raise.
bool is_clean(std::span<const float> row, ScoreKind kind);
bool is_clean(std::span<const double> row, ScoreKind kind);

/// Returns how many entries were raised; `out` may not overlap `row`. Call after check_scores.
std::size_t finite_logits(std::span<const float> row, ScoreKind kind, std::span<float> out);
std::size_t finite_logits(std::span<const double> row, ScoreKind kind, std::span<float> out);

}  // namespace credence
