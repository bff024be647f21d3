// check_scores and to_finite_logits for a row, into memory that the caller has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "credence/dataset.hpp"

namespace credence {

/// Whether check_scores has nothing to object to the row, and finite_logits nothing to raise.
bool is_clean(std::span<const float> row, ScoreKind kind);
bool is_clean(std::span<const double> row, ScoreKind kind);

/// Returns how many entries were raised; `out` may not overlap `row`. Call after check_scores.
std::size_t finite_logits(std::span<const float> row, ScoreKind kind, std::span<float> out);
std::size_t finite_logits(std::span<const double> row, ScoreKind kind, std::span<float> out);

/// check_scores and finite_logits of probabilities in one pass over whole blocks. `out` has room
/// for all of them; `clipped` gets how many entries of each row were raised, and stays empty for
/// none.
void logs_of_probabilities(Scores p, std::string_view origin, float* out,
                           std::vector<std::uint32_t>& clipped);
void logs_of_probabilities(Rows p, std::string_view origin, float* out,
                           std::vector<std::uint32_t>& clipped);

/// The checks alone: `clipped` gets the same numbers.
void check_probability_rows(Scores p, std::string_view origin, std::vector<std::uint32_t>& clipped);

}  // namespace credence
