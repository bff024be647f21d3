// f(u) = b u, b = 1/T. The loss is convex in b, not in T.
#pragma once

#include <algorithm>

#include "map/smooth.hpp"

namespace credence::map {

inline constexpr Bounds kInverseTemperature{1.0 / kMaxTemperature, 1.0 / kMinTemperature};

template <>
struct Math<Temperature> {
  static std::size_t parameters(std::size_t) { return 1; }
  static std::vector<double> identity(std::size_t) { return {1.0}; }

  static void factors(Params theta, const Tile& tile, double* out) {
    std::fill_n(out, tile.stride, theta[0]);
  }
  static void logits(Params theta, const Tile& tile, double* v) {
    if (tile.stride == 1) return core::kernels().scale_row(theta[0], tile.u, tile.classes, v);
    for (std::size_t i = 0; i < tile.classes * tile.stride; ++i) v[i] = theta[0] * tile.u[i];
  }
  static void pullback(Params, const Tile& tile, const double* dv, double* gradient) {
    gradient[0] += dot(dv, tile.u, tile.classes * tile.stride);
  }
  static void pushforward(Params, const Tile& tile, Params direction, double* dv) {
    logits(direction, tile, dv);
  }
  /// Sum over rows of Var_p u.
  static void curvature(Params, const Tile& tile, const double* p, const double*, double* hessian) {
    std::vector<double> centred(tile.u, tile.u + tile.classes * tile.stride);
    core::kernels().f64.centre(p, tile.classes, centred.data());
    hessian[0] += dot(centred.data(), tile.u, tile.classes * tile.stride);
  }
  static Quadratic penalty(const Temperature&, std::size_t) { return {}; }
  static std::optional<Bounds> bounds() { return kInverseTemperature; }
};
static_assert(Smooth<Temperature>);

}  // namespace credence::map
