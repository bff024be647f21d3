// How large numbers can become on their way through a calibrator.
#pragma once

#include <cstddef>
#include <span>

#include "credence/calibrator.hpp"

namespace credence::map {

/// The first stage that some row of finite float32 scores can drive beyond the range of double,
/// where probabilities would come out as NaN or as if nothing were known; stages.size() when there
/// is none.
std::size_t first_overflow(std::span<const Stage> stages, Gauge gauge, std::size_t classes);

}  // namespace credence::map
