// Sums over rows for a map that can be differentiated.
#pragma once

#include <memory>

#include "credence/solver.hpp"
#include "fit/passes/spread.hpp"
#include "map/pipeline.hpp"

namespace credence::fit_detail {

/// Where each part of the answer to a request for loss, gradient and curvature begins.
struct LossLayout {
  std::size_t parameters;
  static constexpr std::size_t kLoss = 0, kGradient = 1;
  std::size_t curvature() const { return kGradient + parameters; }
};

class SmoothPasses {
 public:
  virtual ~SmoothPasses() = default;
  /// [loss, gradient], and the curvature as the map packs it.
  virtual BlockSums loss(Params theta, bool with_curvature) = 0;
  /// Hessian times direction (the Gauss-Newton part for maps that are not linear in their
  /// parameters).
  virtual BlockSums product(Params theta, Params direction) = 0;
  /// Diagonal of the Hessian, for maps that may have many parameters; nothing for others.
  virtual BlockSums diagonal(Params theta) = 0;
};

/// For one smooth map. The input and targets must outlive it; rows count from `first_block`.
std::unique_ptr<SmoothPasses> make_smooth_passes(const MapSpec& map, const map::StageInput& input,
                                                 const Targets& targets, const Spread& spread,
                                                 std::size_t first_block);

/// Length of the answers to a request at parameters of this map.
std::size_t curvature_size(const MapSpec& map, std::size_t classes);
bool has_diagonal(const MapSpec& map);

}  // namespace credence::fit_detail
