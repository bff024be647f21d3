// f(u) = W u + c with the ODIR penalty: the diagonal of W is free.
#pragma once

#include "map/smooth.hpp"

namespace credence::map {

template <>
struct Math<MatrixAffine> {
  static std::size_t parameters(std::size_t classes) { return classes * classes + classes; }
  static std::vector<double> identity(std::size_t classes) {
    std::vector<double> theta(parameters(classes), 0.0);
    for (std::size_t k = 0; k < classes; ++k) theta[k * classes + k] = 1.0;
    return theta;
  }

  static void logits(Params theta, const Tile& tile, double* v) {
    const std::size_t classes = tile.classes;
    core::kernels().f64.multiply(theta.data(), classes, classes, classes,
                                 theta.data() + classes * classes, tile.u, v, tile.stride);
  }
  static void pullback(Params, const Tile& tile, const double* dv, double* gradient) {
    const std::size_t classes = tile.classes, stride = tile.stride;
    core::kernels().f64.multiply_transposed(dv, classes, tile.u, classes, stride, gradient, classes,
                                            false);
    const std::vector<double> ones(stride, 1.0);
    for (std::size_t k = 0; k < classes; ++k) {
      gradient[classes * classes + k] += dot(dv + k * stride, ones.data(), stride);
    }
  }
  static void pushforward(Params, const Tile& tile, Params direction, double* dv) {
    logits(direction, tile, dv);
  }
  /// Rows x_{(k,a)} = p_k u_a (and p_k for the biases): the Hessian is, for each class, the
  /// products of x with u, minus all products of the x with each other.
  static void curvature(Params, const Tile& tile, const double* p, const double*, double* hessian) {
    const std::size_t classes = tile.classes, stride = tile.stride;
    const std::size_t size = parameters(classes), biases = classes * classes;
    std::vector<double> x(size * stride), own(classes * classes);
    const std::vector<double> ones(stride, 1.0);
    for (std::size_t k = 0; k < classes; ++k) {
      const double* pk = p + k * stride;
      for (std::size_t a = 0; a < classes; ++a) {
        const double* u = tile.u_row(a);
        double* out = &x[(k * classes + a) * stride];
        for (std::size_t r = 0; r < stride; ++r) out[r] = pk[r] * u[r];
      }
      for (std::size_t r = 0; r < stride; ++r) x[(biases + k) * stride + r] = pk[r];
      std::fill(own.begin(), own.end(), 0.0);
      core::kernels().f64.multiply_transposed(&x[k * classes * stride], classes, tile.u, classes,
                                              stride, own.data(), classes, true);
      for (std::size_t a = 0; a < classes; ++a) {
        double* out = hessian + (k * classes + a) * size + k * classes;
        for (std::size_t b = 0; b <= a; ++b) out[b] += own[a * classes + b];
        hessian[(biases + k) * size + k * classes + a] += dot(pk, tile.u_row(a), stride);
      }
      hessian[(biases + k) * size + biases + k] += dot(pk, ones.data(), stride);
    }
    subtract_products(x, size, stride, hessian);
  }
  static Quadratic penalty(const MatrixAffine& map, std::size_t classes) {
    const auto count = static_cast<double>(classes);
    std::vector<double> diagonal(parameters(classes), 2.0 * map.lambda / (count * (count - 1.0)));
    for (std::size_t k = 0; k < classes; ++k) {
      diagonal[k * classes + k] = 0.0;
      diagonal[classes * classes + k] = 2.0 * map.mu / count;
    }
    return {.diagonal = std::move(diagonal)};
  }
  static std::optional<Bounds> bounds() { return std::nullopt; }
};
static_assert(Smooth<MatrixAffine>);

}  // namespace credence::map
