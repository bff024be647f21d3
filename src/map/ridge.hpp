// f = W x + c over features x of the log-probabilities s = log p: s itself, 4 p, and 4 times the
// sharpened softmax(2 s). With d = theta - [I, 0], n rows and tau of the map the penalty is
//   1/(2n) [ tau sum of d^2 off the diagonal of the block of s + 0.1 tau sum (d_kk - their mean)^2
//            + 0.3 tau sum of d^2 of the other blocks + 0.01 tau sum of c^2 ],
// so the fit falls back to one temperature where rows are few, and the loss is strictly convex.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/lease.hpp"
#include "map/about.hpp"
#include "map/matrix_curvature.hpp"
#include "map/smooth.hpp"

namespace credence::map {

/// Shares of tau.
inline constexpr double kRidgeDiagonal = 0.1, kRidgeFeatures = 0.3, kRidgeBias = 0.01;
/// What is left of the diagonal's penalty along its mean: enough to define it where rows do not.
inline constexpr double kRidgeMean = 1e-9;

/// `kBlocks` of K features each: s; s and 4 p; s, 4 p and 4 softmax(2 s).
template <std::size_t kBlocks>
struct RidgeMath {
  static std::size_t features(std::size_t classes) { return kBlocks * classes; }
  static std::size_t parameters(std::size_t classes) { return classes * (features(classes) + 1); }
  static std::vector<double> identity(std::size_t classes) {
    std::vector<double> theta(parameters(classes), 0.0);
    for (std::size_t k = 0; k < classes; ++k) theta[k * features(classes) + k] = 1.0;
    return theta;
  }

  static std::size_t remembered(std::size_t classes) { return features(classes); }
  static void remember(const Tile& tile, double* out) {
    constexpr double kSize = 4.0;  // probabilities matter about as much as their logarithms
    const std::size_t count = tile.classes * tile.stride;
    std::copy_n(tile.u, count, out);
    for (std::size_t block = 1; block < kBlocks; ++block) {
      double* const p = out + block * count;
      softmax(tile, static_cast<double>(block), p);
      for (std::size_t i = 0; i < count; ++i) p[i] *= kSize;
    }
  }

  static void logits(Params theta, const Tile& tile, double* v) {
    const Read x(tile);
    multiply(theta, tile, x.data, v);
  }
  static void pullback(Params, const Tile& tile, const double* dv, double* gradient) {
    const Read x(tile);
    const std::size_t classes = tile.classes, stride = tile.stride, columns = features(classes);
    core::kernels().f64.multiply_transposed(dv, classes, x.data, columns, stride, gradient, columns,
                                            false);
    const std::vector<double> ones(stride, 1.0);
    for (std::size_t k = 0; k < classes; ++k) {
      gradient[classes * columns + k] += dot(dv + k * stride, ones.data(), stride);
    }
  }
  static void pushforward(Params, const Tile& tile, Params direction, double* dv) {
    logits(direction, tile, dv);
  }
  struct Inputs {
    static std::size_t count(std::size_t classes) { return features(classes); }
    static const double* of(const Tile& tile) { return tile.remembered; }
  };
  using Curvature = MatrixCurvature<Inputs>;
  static void curvature_diagonal(const Tile& tile, const double* p, double* diagonal) {
    const Read x(tile);
    const std::size_t classes = tile.classes, stride = tile.stride, columns = features(classes);
    std::vector<double> squares(columns * stride), doubt(classes * stride);
    for (std::size_t i = 0; i < squares.size(); ++i) squares[i] = x.data[i] * x.data[i];
    for (std::size_t i = 0; i < doubt.size(); ++i) doubt[i] = p[i] * (1.0 - p[i]);
    core::kernels().f64.multiply_transposed(doubt.data(), classes, squares.data(), columns, stride,
                                            diagonal, columns, false);
    const std::vector<double> ones(stride, 1.0);
    for (std::size_t k = 0; k < classes; ++k) {
      diagonal[classes * columns + k] += dot(&doubt[k * stride], ones.data(), stride);
    }
  }

  template <class Map>
  static Quadratic penalty(const Map& map, std::size_t classes, std::size_t rows) {
    const double weight = map.tau / static_cast<double>(rows);
    const std::size_t columns = features(classes);
    Quadratic sum;
    sum.origin = identity(classes);
    sum.diagonal.assign(parameters(classes), kRidgeBias * weight);
    for (std::size_t k = 0; k < classes; ++k) {
      for (std::size_t a = 0; a < columns; ++a) {
        const double share = a == k ? kRidgeDiagonal : a < classes ? 1.0 : kRidgeFeatures;
        sum.diagonal[k * columns + a] = share * weight;
      }
    }
    const double mean = (1.0 - kRidgeMean) * kRidgeDiagonal * weight / static_cast<double>(classes);
    sum.tied.push_back({.first = 0, .step = columns + 1, .count = classes, .weight = -mean});
    return sum;
  }
  static std::optional<Bounds> bounds() { return std::nullopt; }
  static std::vector<double> sizes(const std::vector<double>& remembered) {
    const std::size_t classes = remembered.size() / kBlocks;
    std::vector<double> all;
    for (std::size_t k = 0; k < classes; ++k) {
      all.insert(all.end(), remembered.begin(), remembered.end());
    }
    all.resize(all.size() + classes, 1.0);
    return all;
  }
  static std::vector<double> constant(const std::vector<double>& logits) {
    std::vector<double> theta(logits.size() * features(logits.size()), 0.0);
    theta.insert(theta.end(), logits.begin(), logits.end());
    return theta;
  }

  /// The features of a tile: those that are remembered, or made here.
  struct Read {
    explicit Read(const Tile& tile)
        : own(tile.remembered == nullptr && kBlocks > 1 ? features(tile.classes) * tile.stride : 0),
          data(tile.remembered != nullptr ? tile.remembered
               : kBlocks > 1              ? own.data()
                                          : tile.u) {
      if (own.size() > 0) remember(tile, own.data());
    }
    core::Lease<double> own;
    const double* data;
  };

 private:
  static void softmax(const Tile& tile, double factor, double* p) {
    if (tile.stride == 1) {
      return core::kernels().scaled_softmax_row_f64(tile.u, tile.classes, factor, p);
    }
    std::copy_n(tile.u, tile.classes * tile.stride, p);
    const core::Lease<double> factors(tile.stride);
    std::fill_n(factors.data(), tile.stride, factor);
    core::kernels().f64.scaled_softmax(p, tile.classes, factors.data());
  }
  static void multiply(Params theta, const Tile& tile, const double* x, double* v) {
    const std::size_t classes = tile.classes, columns = features(classes);
    core::kernels().f64.multiply(theta.data(), columns, classes, columns,
                                 theta.data() + classes * columns, x, v, tile.stride);
  }
};

/// What the ridge maps have in common besides.
template <std::size_t kBlocks>
struct RidgeFacts : Facts {
  static constexpr std::string_view action =
      "multiplies the log-probabilities, and functions of them, by a matrix that was shrunk "
      "towards "
      "no change";
  using Shared = RidgeMath<kBlocks>;

  template <class Map, class Visit>
  static void settings(Map& map, const Visit& visit) {
    visit("tau", map.tau, 0.0, core::kAnyNumber);
  }
  template <class Map>
  static std::vector<Block> blocks(const Map&, std::size_t classes, std::size_t) {
    return {{"weights", {classes, Shared::features(classes)}}, {"bias", {classes}}};
  }
  static double reach(Params theta, std::size_t classes, double in) {
    // Probabilities times 4 are no larger than scores that could overflow.
    return static_cast<double>(Shared::features(classes)) *
               largest(theta.first(theta.size() - classes)) * std::max(in, 4.0) +
           largest(theta.last(classes));
  }
  /// Rows are examples, so features stand on the left and W is transposed.
  template <class Graph>
  static std::string lower_ridge(Params theta, std::size_t classes, Graph& graph,
                                 const std::string& u) {
    const auto k = static_cast<std::int64_t>(classes);
    const std::size_t columns = Shared::features(classes);
    std::string sum;
    for (std::size_t block = 0; block < kBlocks; ++block) {
      std::vector<double> transposed(classes * classes);
      for (std::size_t i = 0; i < classes; ++i) {
        for (std::size_t j = 0; j < classes; ++j) {
          const double scale = block == 0 ? 1.0 : 4.0;
          transposed[j * classes + i] = scale * theta[i * columns + block * classes + j];
        }
      }
      std::string x = u;
      if (block == 2) x = graph.node("Mul", {u, graph.scalar("sharper", 2.0)});
      if (block > 0) x = graph.node("Softmax", {x}, {{"axis", -1}});
      const std::string product =
          graph.node("MatMul", {x, graph.constant("weights", transposed, {k, k})});
      sum = block == 0 ? product : graph.node("Add", {sum, product});
    }
    return graph.node("Add", {sum, graph.constant("bias", theta.last(classes), {k})});
  }
  template <class Map, class Graph>
  static Lowered lower(const Map&, Params theta, std::size_t classes, Graph& graph,
                       const std::string& u) {
    return {lower_ridge(theta, classes, graph, u)};
  }
};

template <>
struct Math<RidgeLog> : RidgeMath<1> {};
template <>
struct Math<RidgeBoth> : RidgeMath<2> {};
template <>
struct Math<RidgeSharp> : RidgeMath<3> {};
static_assert(Smooth<RidgeLog> && Remembering<RidgeBoth> && CanBeConstant<RidgeSharp>);

template <>
struct About<RidgeLog> : RidgeFacts<1> {
  static constexpr std::string_view name = "ridge-log";
  static constexpr std::string_view meaning =
      "a full matrix over log-probabilities, shrunk towards no change (‹tau›); K^2+K parameters";
};
template <>
struct About<RidgeBoth> : RidgeFacts<2> {
  static constexpr std::string_view name = "ridge-both";
  static constexpr std::string_view meaning =
      "the same over log-probabilities and probabilities; 2K^2+K parameters";
};
template <>
struct About<RidgeSharp> : RidgeFacts<3> {
  static constexpr std::string_view name = "ridge-sharp";
  static constexpr std::string_view meaning =
      "the same over log-probabilities, probabilities and sharpened probabilities; 3K^2+K "
      "parameters";
};

}  // namespace credence::map
