// f(u) = u / T(u), T = softplus(a) + 0.1, a = w.phi(u) + c, with four features of the scores:
// phi = [max_k u_k, H(p)/log K, p1 - p2, p1], p = softmax(u), p1 >= p2 its largest entries. They
// depend on p alone where u are log-probabilities, and so does softmax(f(u)).
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "core/exp_log.hpp"
#include "map/about.hpp"
#include "map/graph_parts.hpp"
#include "map/smooth.hpp"

namespace credence::map {

template <>
struct Math<AdaptiveTemperature> {
  static constexpr std::size_t kFeatures = 4;
  static constexpr std::size_t kParameters = kFeatures + 1;
  static constexpr double kLeast = 0.1;
  static constexpr std::size_t kMostRows = 64;
  using Column = std::array<double, kMostRows>;

  static std::size_t parameters(std::size_t) { return kParameters; }
  static std::vector<double> identity(std::size_t) { return at_temperature(1.0); }
  /// Parameters that give the same temperature to every row (T >= 0.11).
  static std::vector<double> at_temperature(double temperature) {
    return {0.0, 0.0, 0.0, 0.0, core::inverse_softplus(std::max(temperature - kLeast, 0.01))};
  }

  static std::vector<std::vector<double>> starts(double temperature) {
    return {at_temperature(temperature), identity(0)};
  }

  /// The features of a tile, kept for all functions of it: they cost more than the rest.
  static std::size_t remembered(std::size_t) { return kParameters; }
  static void remember(const Tile& tile, double* out) {
    std::array<Column, kParameters> phi;
    features(tile, phi);
    for (const Column& column : phi) out = std::copy_n(column.data(), tile.stride, out);
  }

  /// phi and a constant 1, per row.
  static void features(const Tile& tile, std::array<Column, kParameters>& phi) {
    const std::size_t stride = tile.stride;
    if (tile.remembered != nullptr) {
      for (std::size_t j = 0; j < kParameters; ++j) {
        std::copy_n(tile.remembered + j * stride, stride, phi[j].data());
      }
      return;
    }
    Column log_sum, fall, second;
    const core::Shape<double> shape{.top = phi[0].data(),
                                    .log_sum = log_sum.data(),
                                    .fall = fall.data(),
                                    .first = phi[3].data(),
                                    .second = second.data()};
    if (stride == 1) {
      core::kernels().shape_row(tile.u, tile.classes, shape);
    } else {
      core::kernels().f64.shape(tile.u, tile.classes, shape);
    }
    const double per_most = 1.0 / core::log_positive(static_cast<double>(tile.classes));
    for (std::size_t r = 0; r < stride; ++r) {
      // The largest log-probability, whatever the shift of u.
      if (tile.gauge == Gauge::log_probs) phi[0][r] = -log_sum[r];
      phi[1][r] = (log_sum[r] + fall[r]) * per_most;
      phi[2][r] = phi[3][r] - second[r];
      phi[4][r] = 1.0;
    }
  }

  /// What T and its derivatives are made of, per row: a = w.phi + c, exp(-|a|), and 1/T.
  struct Scale {
    Column a, decay, value;
  };
  static void scale(Params theta, const std::array<Column, kParameters>& phi, std::size_t stride,
                    Scale& out) {
    for (std::size_t r = 0; r < stride; ++r) {
      out.a[r] = theta[kFeatures];
      for (std::size_t j = 0; j < kFeatures; ++j) out.a[r] += theta[j] * phi[j][r];
    }
    if (stride == 1) {
      out.value[0] = core::kernels().softplus_row(out.a[0]);
    } else {
      core::kernels().f64.softplus(out.a.data(), stride, out.decay.data(), out.value.data());
    }
    for (std::size_t r = 0; r < stride; ++r) out.value[r] = 1.0 / (out.value[r] + kLeast);
  }
  /// The first two derivatives of 1/T with respect to a.
  struct Slopes {
    Column first, second;
  };
  static Slopes slopes(Params theta, const std::array<Column, kParameters>& phi,
                       std::size_t stride) {
    Scale at;
    scale(theta, phi, stride, at);
    Slopes out;
    for (std::size_t r = 0; r < stride; ++r) {
      const double a = at.a[r], decay = at.decay[r], s = at.value[r];
      const double sigmoid = (a >= 0.0 ? 1.0 : decay) / (1.0 + decay);
      const double complement = (a >= 0.0 ? decay : 1.0) / (1.0 + decay);
      out.first[r] = -sigmoid * s * s;
      out.second[r] = -sigmoid * complement * s * s + 2.0 * sigmoid * sigmoid * s * s * s;
    }
    return out;
  }

  /// 1/T per row.
  static void factors(Params theta, const Tile& tile, double* out) {
    std::array<Column, kParameters> phi;
    features(tile, phi);
    Scale at;
    scale(theta, phi, tile.stride, at);
    std::copy_n(at.value.data(), tile.stride, out);
  }
  static void logits(Params theta, const Tile& tile, double* v) {
    Column factor;
    factors(theta, tile, factor.data());
    scale_rows(tile, factor, v);
  }
  static void pullback(Params theta, const Tile& tile, const double* dv, double* gradient) {
    std::array<Column, kParameters> phi;
    features(tile, phi);
    const Slopes s = slopes(theta, phi, tile.stride);
    Column weight = sum_over_classes(tile, dv);
    for (std::size_t r = 0; r < tile.stride; ++r) weight[r] *= s.first[r];
    for (std::size_t j = 0; j < kParameters; ++j) {
      gradient[j] += dot(weight.data(), phi[j].data(), tile.stride);
    }
  }
  static void pushforward(Params theta, const Tile& tile, Params direction, double* dv) {
    std::array<Column, kParameters> phi;
    features(tile, phi);
    const Slopes s = slopes(theta, phi, tile.stride);
    Column slope;
    for (std::size_t r = 0; r < tile.stride; ++r) {
      double a = 0.0;
      for (std::size_t j = 0; j < kParameters; ++j) a += direction[j] * phi[j][r];
      slope[r] = s.first[r] * a;
    }
    scale_rows(tile, slope, dv);
  }
  static void curvature(Params theta, const Tile& tile, const double* p, const double* dv,
                        double* hessian) {
    std::array<Column, kParameters> phi;
    features(tile, phi);
    const Slopes s = slopes(theta, phi, tile.stride);
    std::vector<double> centred(tile.u, tile.u + tile.classes * tile.stride);
    core::kernels().f64.centre(p, tile.classes, centred.data());
    const Column variance = sum_over_classes(tile, centred.data());
    const Column slope = sum_over_classes(tile, dv);
    for (std::size_t i = 0; i < kParameters; ++i) {
      Column weighted;
      for (std::size_t r = 0; r < tile.stride; ++r) {
        const double second = s.second[r] * slope[r] + s.first[r] * s.first[r] * variance[r];
        weighted[r] = second * phi[i][r];
      }
      for (std::size_t j = 0; j <= i; ++j) {
        hessian[i * kParameters + j] += dot(weighted.data(), phi[j].data(), tile.stride);
      }
    }
  }
  static Quadratic penalty(const AdaptiveTemperature& map, std::size_t, std::size_t) {
    std::vector<double> diagonal(kParameters, 2.0 * map.l2);
    diagonal[kFeatures] = 0.0;
    Quadratic penalty;
    penalty.diagonal = std::move(diagonal);
    return penalty;
  }
  static std::optional<Bounds> bounds() { return std::nullopt; }
  static std::vector<double> sizes(const std::vector<double>& remembered) { return remembered; }

 private:
  static void scale_rows(const Tile& tile, const Column& factor, double* v) {
    if (tile.stride == 1) return core::kernels().scale_row(factor[0], tile.u, tile.classes, v);
    for (std::size_t k = 0; k < tile.classes; ++k) {
      for (std::size_t r = 0; r < tile.stride; ++r) {
        v[k * tile.stride + r] = factor[r] * tile.u_row(k)[r];
      }
    }
  }
  /// sum_k x_k u_k, per row.
  static Column sum_over_classes(const Tile& tile, const double* x) {
    Column sum{};
    for (std::size_t k = 0; k < tile.classes; ++k) {
      for (std::size_t r = 0; r < tile.stride; ++r) {
        sum[r] += x[k * tile.stride + r] * tile.u_row(k)[r];
      }
    }
    return sum;
  }
};
static_assert(Smooth<AdaptiveTemperature>);

template <>
struct About<AdaptiveTemperature> : Facts {
  static constexpr std::string_view name = "adaptive";
  static constexpr std::string_view meaning =
      "a temperature per example from four features of its scores; 5 parameters";
  static constexpr std::string_view action =
      "divides the scores of each example by a temperature that depends on how sure the model is";
  static constexpr bool keeps_order = true;
  static constexpr bool is_convex = false;

  static constexpr bool ignores_shift(Gauge gauge) { return gauge == Gauge::log_probs; }
  template <class Map, class Visit>
  static void settings(Map& map, const Visit& visit) {
    visit("l2", map.l2, 0.0, core::kAnyNumber);
  }
  static std::vector<Block> blocks(const AdaptiveTemperature&, std::size_t, std::size_t) {
    return {{"weights", {Math<AdaptiveTemperature>::kFeatures}}, {"bias", {}}};
  }
  static double reach(Params theta, std::size_t, double in) {
    // Four features of at most `in` and a constant; temperatures are at least 0.1.
    return std::isfinite(5.0 * largest(theta) * in) ? 10.0 * in : HUGE_VAL;
  }
  template <class Graph>
  static Lowered lower(const AdaptiveTemperature&, Params theta, std::size_t classes, Graph& graph,
                       const std::string& u) {
    const auto k = static_cast<std::int64_t>(classes);
    const std::string p = graph.node("Softmax", {u}, {{"axis", -1}});
    const std::string log_p = graph.node("LogSoftmax", {u}, {{"axis", -1}});
    const std::string largest =
        graph.node("Mul", {graph.top(u, 1).values, graph.scalar("largest_weight", theta[0])});
    // Sums over classes are products with a column, which also carries the weight of the feature.
    const std::vector<double> column(classes,
                                     -theta[1] / core::log_positive(static_cast<double>(classes)));
    const std::string entropy = graph.node(
        "MatMul",
        {graph.node("Mul", {p, log_p}), graph.constant("entropy_weight", column, {k, 1})});
    const std::array<double, 2> pair{theta[2] + theta[3], -theta[2]};
    const std::string confidence = graph.node(
        "MatMul", {graph.top(p, 2).values, graph.constant("confidence_weights", pair, {2, 1})});
    const std::string features =
        graph.node("Add", {graph.node("Add", {largest, entropy}), confidence});
    const std::string a = graph.node("Add", {features, graph.scalar("bias", theta[4])});
    const std::string temperature =
        graph.node("Add", {graph_parts::softplus(graph, a),
                           graph.scalar("least_temperature", Math<AdaptiveTemperature>::kLeast)});
    return {graph.node("Div", {u, temperature})};
  }
};

}  // namespace credence::map
