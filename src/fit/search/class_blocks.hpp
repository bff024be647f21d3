// A preconditioner for the matrix map with many classes: for each class the curvature of its own
// row of weights, from a sample of the rows.
//
// Between classes the Hessian is weak, except that the blocks of a row of it add up to nothing:
// moving all classes alike changes no prediction. Those directions are split off and left to the
// penalty, which is all that holds them.
#pragma once

#include <cstddef>

#include "fit/objective.hpp"
#include "map/pipeline.hpp"
#include "map/smooth.hpp"

namespace credence::fit_detail {

/// Above this many classes the blocks take too much memory (8 K^3 bytes).
inline constexpr std::size_t kMostClassBlocks = 256;

/// Rows of the sample. Each class needs several times K rows in which it is in doubt, or the noise
/// of the sample makes up for what the blocks gain.
inline constexpr std::size_t kBlockSampleRows = 32768;

/// `sample` is a sample of the rows.
Preconditioner class_block_preconditioner(const map::StageInput& sample, Params theta,
                                          const map::Quadratic& penalty, int threads);

}  // namespace credence::fit_detail
