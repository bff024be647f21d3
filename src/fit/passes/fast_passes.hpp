// Loss and gradient of matrix maps in float32, for passes that only find the way: a quarter of the
// time of a pass in double, whose gradient decides in the end.
#pragma once

#include <memory>

#include "fit/passes/smooth_passes.hpp"
#include "fit/passes/spread.hpp"
#include "map/pipeline.hpp"

namespace credence::fit_detail {

class FastPasses {
 public:
  virtual ~FastPasses() = default;
  /// Laid out as the answers of SmoothPasses are. Channels have no curvature.
  virtual BlockSums loss(Params theta, bool with_curvature) = 0;
};

/// Whether a map has such passes: a matrix times features, and perhaps a channel behind it.
bool has_fast_passes(const MapSpec& map);

/// How many numbers the matrix of such a map multiplies; 0 for other maps.
std::size_t matrix_inputs(const MapSpec& map, std::size_t classes);

/// Null for other maps. The input and targets must outlive it; rows count from `first_block`.
std::unique_ptr<FastPasses> make_fast_passes(const MapSpec& map, const map::StageInput& input,
                                             const Targets& targets, const Spread& spread,
                                             std::size_t first_block);

}  // namespace credence::fit_detail
