// f(u) = W u + c with the ODIR penalty: the diagonal of W is free.
#pragma once

#include "map/matrix_curvature.hpp"
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
  using Curvature = MatrixCurvature;
  static void curvature_diagonal(const Tile& tile, const double* p, double* diagonal) {
    const std::size_t classes = tile.classes, stride = tile.stride;
    std::vector<double> doubt(stride);
    for (std::size_t k = 0; k < classes; ++k) {
      const double* pk = p + k * stride;
      for (std::size_t r = 0; r < stride; ++r) {
        doubt[r] = pk[r] * (1.0 - pk[r]);
        diagonal[classes * classes + k] += doubt[r];
      }
      for (std::size_t a = 0; a < classes; ++a) {
        const double* u = tile.u_row(a);
        for (std::size_t r = 0; r < stride; ++r) {
          diagonal[k * classes + a] += doubt[r] * u[r] * u[r];
        }
      }
    }
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
