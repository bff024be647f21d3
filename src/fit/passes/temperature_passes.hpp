// Sums over rows for a map of the form b z: loss and three derivatives in b, straight from the
// stored scores.
#pragma once

#include "credence/solver.hpp"
#include "fit/passes/spread.hpp"

namespace credence::fit_detail {

enum class Arithmetic { f32, f64 };

/// The sums of a block: see core::TemperatureSums; the last is q.(z - max z), which does not depend
/// on b.
inline constexpr std::size_t kTemperatureSums = 5, kLinearSum = 4;

BlockSums temperature_sums(Scores scores, const Targets& targets, double b, Arithmetic arithmetic,
                           bool with_linear, const Spread& spread, std::size_t first_block);

}  // namespace credence::fit_detail
