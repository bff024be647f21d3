// f(u)_k = b_k u_k with every b_k = 1/T_k > 0.
#pragma once

#include <cstdint>

#include "map/temperature.hpp"

namespace credence::map {

template <>
struct Math<ClassTemperatures> {
  static std::size_t parameters(std::size_t classes) { return classes; }
  static std::vector<double> identity(std::size_t classes) {
    return std::vector<double>(classes, 1.0);
  }

  static void logits(Params theta, const Tile& tile, double* v) {
    if (tile.stride == 1) {
      return core::kernels().affine_row(theta.data(), nullptr, tile.u, tile.classes, v);
    }
    for (std::size_t k = 0; k < tile.classes; ++k) {
      const double* u = tile.u_row(k);
      double* out = tile.row(v, k);
      for (std::size_t r = 0; r < tile.stride; ++r) out[r] = theta[k] * u[r];
    }
  }
  static void pullback(Params, const Tile& tile, const double* dv, double* gradient) {
    for (std::size_t k = 0; k < tile.classes; ++k) {
      gradient[k] += dot(dv + k * tile.stride, tile.u_row(k), tile.stride);
    }
  }
  static void pushforward(Params, const Tile& tile, Params direction, double* dv) {
    logits(direction, tile, dv);
  }
  static void curvature(Params, const Tile& tile, const double* p, const double*, double* hessian) {
    const std::size_t classes = tile.classes, stride = tile.stride;
    std::vector<double> x(classes * stride);
    for (std::size_t k = 0; k < classes; ++k) {
      const double* u = tile.u_row(k);
      for (std::size_t r = 0; r < stride; ++r) x[k * stride + r] = p[k * stride + r] * u[r];
      hessian[k * classes + k] += dot(&x[k * stride], u, stride);
    }
    subtract_products(x, classes, stride, hessian);
  }
  static void curvature_diagonal(const Tile& tile, const double* p, double* diagonal) {
    for (std::size_t k = 0; k < tile.classes; ++k) {
      const double *u = tile.u_row(k), *pk = p + k * tile.stride;
      for (std::size_t r = 0; r < tile.stride; ++r) {
        diagonal[k] += pk[r] * (1.0 - pk[r]) * u[r] * u[r];
      }
    }
  }
  static Quadratic penalty(const ClassTemperatures&, std::size_t, std::size_t) { return {}; }
  static std::optional<Bounds> bounds() { return kInverseTemperature; }
  static std::vector<double> sizes(const std::vector<double>& inputs) { return inputs; }
};
static_assert(Smooth<ClassTemperatures>);

template <>
struct About<ClassTemperatures> : Facts {
  static constexpr std::string_view name = "class-temperatures";
  static constexpr std::string_view meaning = "one temperature per class; K parameters";
  static constexpr std::string_view action =
      "divides the score of each class by a temperature of its own";

  static std::vector<Block> blocks(const ClassTemperatures&, std::size_t classes, std::size_t) {
    return {{"inverse_temperatures", {classes}, Numbers::inverse_temperatures}};
  }
  static double reach(Params theta, std::size_t, double in) { return largest(theta) * in; }
  template <class Graph>
  static Lowered lower(const ClassTemperatures&, Params theta, std::size_t classes, Graph& graph,
                       const std::string& u) {
    const auto k = static_cast<std::int64_t>(classes);
    return {graph.node("Mul", {u, graph.constant("inverse_temperatures", theta, {k})})};
  }
};

}  // namespace credence::map
