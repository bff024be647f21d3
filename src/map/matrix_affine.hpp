// f(u) = W u + c with the ODIR penalty: the diagonal of W is free.
#pragma once

#include <cstdint>

#include "map/about.hpp"
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
  struct Scores {
    static std::size_t count(std::size_t classes) { return classes; }
    static const double* of(const Tile& tile) { return tile.u; }
  };
  using Curvature = MatrixCurvature<Scores>;
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
  static Quadratic penalty(const MatrixAffine& map, std::size_t classes, std::size_t) {
    const auto count = static_cast<double>(classes);
    std::vector<double> diagonal(parameters(classes), 2.0 * map.lambda / (count * (count - 1.0)));
    for (std::size_t k = 0; k < classes; ++k) {
      diagonal[k * classes + k] = 0.0;
      diagonal[classes * classes + k] = 2.0 * map.mu / count;
    }
    Quadratic penalty;
    penalty.diagonal = std::move(diagonal);
    return penalty;
  }
  static std::optional<Bounds> bounds() { return std::nullopt; }
  static std::vector<double> sizes(const std::vector<double>& inputs) {
    std::vector<double> all;
    for (std::size_t k = 0; k < inputs.size(); ++k) {
      all.insert(all.end(), inputs.begin(), inputs.end());
    }
    all.resize(all.size() + inputs.size(), 1.0);
    return all;
  }
  static std::vector<double> constant(const std::vector<double>& logits) {
    std::vector<double> theta(logits.size() * logits.size(), 0.0);
    theta.insert(theta.end(), logits.begin(), logits.end());
    return theta;
  }
};
static_assert(Smooth<MatrixAffine>);

template <>
struct About<MatrixAffine> : Facts {
  static constexpr std::string_view name = "matrix";
  static constexpr std::string_view meaning =
      "a full matrix and a bias per class, penalised (‹lambda›, ‹mu›); K^2+K parameters";
  static constexpr std::string_view action =
      "multiplies the scores by a matrix and adds a bias for each class";
  static constexpr bool grows_with_square = true;

  template <class Map, class Visit>
  static void settings(Map& map, const Visit& visit) {
    visit("lambda", map.lambda, 0.0, core::kAnyNumber);
    visit("mu", map.mu, 0.0, core::kAnyNumber);
  }
  static std::vector<Block> blocks(const MatrixAffine&, std::size_t classes, std::size_t) {
    return {{"weights", {classes, classes}}, {"bias", {classes}}};
  }
  static double reach(Params theta, std::size_t classes, double in) {
    return static_cast<double>(classes) * largest(theta.first(classes * classes)) * in +
           largest(theta.last(classes));
  }
  template <class Graph>
  static Lowered lower(const MatrixAffine&, Params theta, std::size_t classes, Graph& graph,
                       const std::string& u) {
    const auto k = static_cast<std::int64_t>(classes);
    // Rows are examples, so u stands on the left and W is transposed. MatMul takes any rank, Gemm
    // two.
    std::vector<double> transposed(classes * classes);
    for (std::size_t i = 0; i < classes; ++i) {
      for (std::size_t j = 0; j < classes; ++j) {
        transposed[j * classes + i] = theta[i * classes + j];
      }
    }
    const std::string product =
        graph.node("MatMul", {u, graph.constant("weights", transposed, {k, k})});
    return {graph.node("Add",
                       {product, graph.constant("bias", theta.subspan(classes * classes), {k})})};
  }
};

}  // namespace credence::map
