// f(u)_k = w_k u_k + c_k. Adding one number to every c_k changes nothing, so a quadratic in their
// sum, which is 0 at the optimum, picks the centred biases without changing the fit.
#pragma once

#include <cstdint>

#include "map/about.hpp"
#include "map/smooth.hpp"

namespace credence::map {

template <>
struct Math<DiagonalAffine> {
  static std::size_t parameters(std::size_t classes) { return 2 * classes; }
  static std::vector<double> identity(std::size_t classes) {
    std::vector<double> theta(2 * classes, 0.0);
    for (std::size_t k = 0; k < classes; ++k) theta[k] = 1.0;
    return theta;
  }

  static void logits(Params theta, const Tile& tile, double* v) {
    if (tile.stride == 1) {
      return core::kernels().affine_row(theta.data(), theta.data() + tile.classes, tile.u,
                                        tile.classes, v);
    }
    for (std::size_t k = 0; k < tile.classes; ++k) {
      const double w = theta[k], c = theta[tile.classes + k];
      const double* u = tile.u_row(k);
      double* out = tile.row(v, k);
      for (std::size_t r = 0; r < tile.stride; ++r) out[r] = w * u[r] + c;
    }
  }
  static void pullback(Params, const Tile& tile, const double* dv, double* gradient) {
    const std::vector<double> ones(tile.stride, 1.0);
    for (std::size_t k = 0; k < tile.classes; ++k) {
      const double* d = dv + k * tile.stride;
      gradient[k] += dot(d, tile.u_row(k), tile.stride);
      gradient[tile.classes + k] += dot(d, ones.data(), tile.stride);
    }
  }
  static void pushforward(Params, const Tile& tile, Params direction, double* dv) {
    logits(direction, tile, dv);
  }
  /// With x_k = p_k u_k and x_{K+k} = p_k: the Hessian is the diagonal part of each pair of classes
  /// minus the products of the x.
  static void curvature(Params, const Tile& tile, const double* p, const double*, double* hessian) {
    const std::size_t classes = tile.classes, stride = tile.stride, size = 2 * classes;
    const std::vector<double> ones(stride, 1.0);
    std::vector<double> x(size * stride);
    for (std::size_t k = 0; k < classes; ++k) {
      const double *u = tile.u_row(k), *pk = p + k * stride;
      double *weight = &x[k * stride], *bias = &x[(classes + k) * stride];
      for (std::size_t r = 0; r < stride; ++r) {
        weight[r] = pk[r] * u[r];
        bias[r] = pk[r];
      }
      hessian[k * size + k] += dot(weight, u, stride);
      hessian[(classes + k) * size + k] += dot(weight, ones.data(), stride);
      hessian[(classes + k) * size + classes + k] += dot(bias, ones.data(), stride);
    }
    subtract_products(x, size, stride, hessian);
  }
  static void curvature_diagonal(const Tile& tile, const double* p, double* diagonal) {
    for (std::size_t k = 0; k < tile.classes; ++k) {
      const double *u = tile.u_row(k), *pk = p + k * tile.stride;
      for (std::size_t r = 0; r < tile.stride; ++r) {
        const double spread = pk[r] * (1.0 - pk[r]);
        diagonal[k] += spread * u[r] * u[r];
        diagonal[tile.classes + k] += spread;
      }
    }
  }
  static Quadratic penalty(const DiagonalAffine&, std::size_t classes, std::size_t) {
    Quadratic penalty;
    penalty.tied.push_back({.first = classes, .step = 1, .count = classes, .weight = 1.0});
    return penalty;
  }
  static std::optional<Bounds> bounds() { return std::nullopt; }
  static std::vector<double> sizes(std::vector<double> inputs) {
    inputs.resize(2 * inputs.size(), 1.0);
    return inputs;
  }
  static std::vector<double> constant(const std::vector<double>& logits) {
    std::vector<double> theta(logits.size(), 0.0);
    theta.insert(theta.end(), logits.begin(), logits.end());
    return theta;
  }
};
static_assert(Smooth<DiagonalAffine>);

template <>
struct About<DiagonalAffine> : Facts {
  static constexpr std::string_view name = "diagonal";
  static constexpr std::string_view meaning = "a weight and a bias per class; 2K parameters";
  static constexpr std::string_view action = "has a weight and a bias for each class";

  static std::vector<Block> blocks(const DiagonalAffine&, std::size_t classes, std::size_t) {
    return {{"weights", {classes}}, {"bias", {classes}}};
  }
  static double reach(Params theta, std::size_t classes, double in) {
    return largest(theta.first(classes)) * in + largest(theta.last(classes));
  }
  template <class Graph>
  static Lowered lower(const DiagonalAffine&, Params theta, std::size_t classes, Graph& graph,
                       const std::string& u) {
    const auto k = static_cast<std::int64_t>(classes);
    const std::string scaled =
        graph.node("Mul", {u, graph.constant("weights", theta.first(classes), {k})});
    return {graph.node("Add", {scaled, graph.constant("bias", theta.subspan(classes), {k})})};
  }
};

}  // namespace credence::map
