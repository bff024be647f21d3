// f(u) = b u, b = 1/T. The loss is convex in b, not in T.
#pragma once

#include <algorithm>

#include "map/about.hpp"
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
  static Quadratic penalty(const Temperature&, std::size_t, std::size_t) { return {}; }
  static std::optional<Bounds> bounds() { return kInverseTemperature; }
  static std::vector<double> sizes(const std::vector<double>& inputs) { return {largest(inputs)}; }
};
static_assert(Smooth<Temperature>);

template <>
struct About<Temperature> : Facts {
  static constexpr std::string_view name = "temperature";
  static constexpr std::string_view meaning = "divides the scores by one temperature; 1 parameter";
  static constexpr std::string_view action = "divides all scores by one temperature";
  static constexpr bool keeps_order = true;

  static constexpr bool ignores_shift(Gauge) { return true; }
  static std::vector<Block> blocks(const Temperature&, std::size_t, std::size_t) {
    return {{"inverse_temperature", {}, Numbers::inverse_temperatures}};
  }
  static std::optional<double> uniform_scale(Params theta) { return theta[0]; }
  static double reach(Params theta, std::size_t, double in) { return largest(theta) * in; }
  template <class Graph>
  static Lowered lower(const Temperature&, Params theta, std::size_t, Graph& graph,
                       const std::string& u) {
    return {graph.node("Mul", {u, graph.scalar("inverse_temperature", theta[0])})};
  }
};

}  // namespace credence::map
