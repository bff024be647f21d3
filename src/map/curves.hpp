// f(u)_k = sum_m W_km phi_m(s_k) + c_k with s = log_softmax(u), phi_0 = s and phi_m = max(s,
// -knot_m): a broken line per class, alike in all classes where rows are few. With n rows and tau
// of the map the penalty, measured from the identity, is
//   1/(2n) [ tau sum over m, k of (W_km - mean over k)^2 + 0.01 tau K sum over m > 0 of that mean^2
//            + 0.01 tau sum of c^2 ].
// Convex. A pass costs n K, so it serves many classes too.
#pragma once

#include <array>
#include <cstdint>

#include "core/lease.hpp"
#include "core/wide.hpp"
#include "map/about.hpp"
#include "map/smooth.hpp"

namespace credence::map {

template <>
struct Math<Curves> {
  /// Where the lines may bend: probabilities of 99 %, 95 %, 82 %, 50 %, 14 %, 0.7 %, and on to what
  /// only models that are far too sure give.
  static constexpr std::array kKnots{0.01, 0.05, 0.2, 0.7, 2.0, 5.0, 10.0, 20.0, 40.0};
  static constexpr std::size_t kPieces = kKnots.size() + 1;
  static constexpr double kShared = 0.01, kBias = 0.01;
  /// What holds the mean of the weights of s: enough to define it where rows do not.
  static constexpr double kMeanSlope = 1e-9;

  static std::size_t parameters(std::size_t classes) { return classes * (kPieces + 1); }
  static std::vector<double> identity(std::size_t classes) {
    std::vector<double> theta(parameters(classes), 0.0);
    for (std::size_t k = 0; k < classes; ++k) theta[k * kPieces] = 1.0;
    return theta;
  }

  /// s, class by class.
  static std::size_t remembered(std::size_t classes) { return classes; }
  static void remember(const Tile& tile, double* out) {
    const std::size_t count = tile.classes * tile.stride;
    if (tile.gauge == Gauge::raw && tile.stride == 1) {
      return core::kernels().log_softmax_row(tile.u, tile.classes, out);
    }
    std::copy_n(tile.u, count, out);
    if (tile.gauge == Gauge::raw) core::kernels().f64.log_softmax(out, tile.classes);
  }

  static void logits(Params theta, const Tile& tile, double* v) {
    const Read s(tile);
    const std::size_t stride = tile.stride;
    core::widely([&]() __attribute__((always_inline)) {
      for (std::size_t k = 0; k < tile.classes; ++k) {
        const double* const w = &theta[k * kPieces];
        const double* const of_class = s.data + k * stride;
        const double bias = theta[tile.classes * kPieces + k];
        for (std::size_t r = 0; r < stride; ++r) {
          const double x = of_class[r];
          double sum = bias + w[0] * x;
          for (std::size_t m = 1; m < kPieces; ++m) sum += w[m] * std::max(x, -kKnots[m - 1]);
          v[k * stride + r] = sum;
        }
      }
    });
  }
  static void pullback(Params, const Tile& tile, const double* dv, double* gradient) {
    const Read s(tile);
    const std::size_t stride = tile.stride;
    std::vector<double> phi(side() * stride);
    for (std::size_t k = 0; k < tile.classes; ++k) {
      pieces(s.data + k * stride, stride, phi.data());
      std::array<double, kPieces + 1> sums{};
      core::kernels().f64.multiply_transposed(dv + k * stride, 1, phi.data(), side(), stride,
                                              sums.data(), side(), false);
      for (std::size_t m = 0; m < kPieces; ++m) gradient[k * kPieces + m] += sums[m];
      gradient[tile.classes * kPieces + k] += sums[kPieces];
    }
  }
  static void pushforward(Params, const Tile& tile, Params direction, double* dv) {
    logits(direction, tile, dv);
  }
  /// The diagonal part of each class minus the products of x_km = p_k phi_m(s_k).
  static void curvature(Params, const Tile& tile, const double* p, const double*, double* hessian) {
    const Read s(tile);
    const std::size_t classes = tile.classes, stride = tile.stride, size = parameters(classes);
    std::vector<double> phi(side() * stride), x(size * stride), own(side() * side());
    for (std::size_t k = 0; k < classes; ++k) {
      pieces(s.data + k * stride, stride, phi.data());
      std::vector<double> weighted(side() * stride);
      for (std::size_t m = 0; m < side(); ++m) {
        double* const out = &x[place(k, m, classes) * stride];
        for (std::size_t r = 0; r < stride; ++r) {
          out[r] = p[k * stride + r] * phi[m * stride + r];
          weighted[m * stride + r] = out[r];
        }
      }
      std::fill(own.begin(), own.end(), 0.0);
      core::kernels().f64.multiply_transposed(weighted.data(), side(), phi.data(), side(), stride,
                                              own.data(), side(), false);
      for (std::size_t a = 0; a < side(); ++a) {
        for (std::size_t b = 0; b <= a; ++b) {
          hessian[place(k, a, classes) * size + place(k, b, classes)] += own[a * side() + b];
        }
      }
    }
    subtract_products(x, size, stride, hessian);
  }
  static void curvature_diagonal(const Tile& tile, const double* p, double* diagonal) {
    const Read s(tile);
    const std::size_t stride = tile.stride;
    std::vector<double> phi(side() * stride);
    for (std::size_t k = 0; k < tile.classes; ++k) {
      pieces(s.data + k * stride, stride, phi.data());
      for (std::size_t m = 0; m < side(); ++m) {
        double sum = 0.0;
        for (std::size_t r = 0; r < stride; ++r) {
          const double x = phi[m * stride + r], pk = p[k * stride + r];
          sum += pk * (1.0 - pk) * x * x;
        }
        diagonal[place(k, m, tile.classes)] += sum;
      }
    }
  }

  static Quadratic penalty(const Curves& map, std::size_t classes, std::size_t rows) {
    const double weight = map.tau / static_cast<double>(rows);
    const auto count = static_cast<double>(classes);
    Quadratic penalty;
    penalty.origin = identity(classes);
    penalty.diagonal.assign(parameters(classes), weight);
    for (std::size_t k = 0; k < classes; ++k) {
      penalty.diagonal[classes * kPieces + k] = kBias * weight;
    }
    for (std::size_t m = 0; m < kPieces; ++m) {
      const double held = m == 0 ? kMeanSlope : kShared;
      penalty.tied.push_back({.first = m,
                              .step = kPieces,
                              .count = classes,
                              .weight = -(1.0 - held) * weight / count});
    }
    return penalty;
  }
  static std::optional<Bounds> bounds() { return std::nullopt; }
  static std::vector<double> sizes(const std::vector<double>& remembered) {
    std::vector<double> all;
    for (const double size : remembered) {
      all.push_back(size);
      for (const double knot : kKnots) all.push_back(std::min(size, knot));
    }
    all.resize(all.size() + remembered.size(), 1.0);
    return all;
  }
  static std::vector<double> constant(const std::vector<double>& logits) {
    std::vector<double> theta(logits.size() * kPieces, 0.0);
    theta.insert(theta.end(), logits.begin(), logits.end());
    return theta;
  }

 private:
  static constexpr std::size_t side() { return kPieces + 1; }
  static std::size_t place(std::size_t k, std::size_t m, std::size_t classes) {
    return m < kPieces ? k * kPieces + m : classes * kPieces + k;
  }
  /// phi of one class, and a last row of ones.
  static void pieces(const double* s, std::size_t stride, double* phi) {
    std::copy_n(s, stride, phi);
    core::widely([&]() __attribute__((always_inline)) {
      for (std::size_t m = 1; m < kPieces; ++m) {
        for (std::size_t r = 0; r < stride; ++r) {
          phi[m * stride + r] = std::max(s[r], -kKnots[m - 1]);
        }
      }
    });
    std::fill_n(phi + kPieces * stride, stride, 1.0);
  }
  /// s: what is remembered, or made here.
  struct Read {
    explicit Read(const Tile& tile)
        : own(tile.remembered == nullptr && tile.gauge == Gauge::raw ? tile.classes * tile.stride
                                                                     : 0),
          data(tile.remembered != nullptr ? tile.remembered
               : tile.gauge == Gauge::raw ? own.data()
                                          : tile.u) {
      if (own.size() > 0) remember(tile, own.data());
    }
    core::Lease<double> own;
    const double* data;
  };
};
static_assert(Smooth<Curves>);

template <>
struct About<Curves> : Facts {
  static constexpr std::string_view name = "curves";
  static constexpr std::string_view meaning =
      "a broken line over the log-probability of each class, shrunk towards one for all (‹tau›); "
      "11K parameters";
  static constexpr std::string_view action =
      "bends the log-probability of each class along a broken line of its own";

  template <class Map, class Visit>
  static void settings(Map& map, const Visit& visit) {
    visit("tau", map.tau, 0.0, core::kAnyNumber);
  }
  static std::vector<Block> blocks(const Curves&, std::size_t classes, std::size_t) {
    return {{"weights", {classes, Math<Curves>::kPieces}}, {"bias", {classes}}};
  }
  static double reach(Params theta, std::size_t classes, double in) {
    constexpr auto kPieces = static_cast<double>(Math<Curves>::kPieces);
    return kPieces * largest(theta.first(theta.size() - classes)) * (2.0 * in + 40.0) +
           largest(theta.last(classes));
  }
  template <class Graph>
  static Lowered lower(const Curves&, Params theta, std::size_t classes, Graph& graph,
                       const std::string& u) {
    using Math = map::Math<Curves>;
    const auto k = static_cast<std::int64_t>(classes);
    const std::string s = graph.node("LogSoftmax", {u}, {{"axis", -1}});
    std::string sum = graph.constant("bias", theta.last(classes), {k});
    for (std::size_t m = 0; m < Math::kPieces; ++m) {
      std::vector<double> weights(classes);
      for (std::size_t j = 0; j < classes; ++j) weights[j] = theta[j * Math::kPieces + m];
      const std::string phi =
          m == 0 ? s : graph.node("Max", {s, graph.scalar("knot", -Math::kKnots[m - 1])});
      sum = graph.node("Add",
                       {graph.node("Mul", {phi, graph.constant("weights", weights, {k})}), sum});
    }
    return {sum};
  }
};

}  // namespace credence::map
