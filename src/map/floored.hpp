// Temperatures with a floor: f(u) = log((1-a) softmax(b u) + a/K), which is its own log-softmax.
// The floor a = 1 / (1 + exp(-t)); b = softplus(w.phi(u) + c) + 0.001, with features phi of the
// scores or none. theta = [w, c, t]. Not convex, but nearly so from a good temperature on.
//
// With r_k = (1-a) p_k / P_k, the share of a class that is not floor, and y_k = u_k - p.u, the
// derivatives are short: df_k/db = r_k y_k, df_k/dt = 1 - a - r_k, and dr_k = r_k (1 - r_k) of what
// log p_k - t moves by.
#pragma once

#include <algorithm>
#include <array>
#include <cfloat>
#include <cmath>
#include <cstdint>

#include "core/exp_log.hpp"
#include "core/lease.hpp"
#include "map/about.hpp"
#include "map/graph_parts.hpp"
#include "map/smooth.hpp"

namespace credence::map {

/// `Features` has kCount and fill(tile, columns): a number per row for each.
template <class Features>
struct FlooredMath {
  static constexpr std::size_t kFeatures = Features::kCount;
  static constexpr std::size_t kBias = kFeatures, kFloor = kFeatures + 1;
  static constexpr std::size_t kParameters = kFeatures + 2;
  static constexpr double kLeast = 1.0 / kMaxTemperature;
  /// Where a floor begins, and where the prior would have it: 1.8 %.
  static constexpr double kUsualFloor = -4.0;
  /// A floor that rounding cannot tell from none.
  static constexpr double kNoFloor = -40.0;
  static constexpr std::size_t kMostRows = 64;
  using Column = std::array<double, kMostRows>;
  using Phi = std::array<Column, kFeatures + 1>;  ///< and a constant 1

  static std::size_t parameters(std::size_t) { return kParameters; }
  static std::vector<double> identity(std::size_t) {
    std::vector<double> theta = at_temperature(1.0);
    theta[kFloor] = kNoFloor;
    return theta;
  }
  /// One temperature for every row, and a small floor.
  static std::vector<double> at_temperature(double temperature) {
    std::vector<double> theta(kParameters, 0.0);
    theta[kBias] = core::inverse_softplus(std::max(1.0 / temperature - kLeast, kLeast));
    theta[kFloor] = kUsualFloor;
    return theta;
  }

  static std::vector<std::vector<double>> starts(double temperature) {
    return {at_temperature(temperature)};
  }

  static std::size_t remembered(std::size_t) { return kFeatures + 1; }
  static void remember(const Tile& tile, double* out) {
    Phi phi;
    features(tile, phi);
    for (const Column& column : phi) out = std::copy_n(column.data(), tile.stride, out);
  }

  static void logits(Params theta, const Tile& tile, double* v) {
    Phi phi;
    features(tile, phi);
    Scale b;
    scale(theta, phi, tile.stride, b);
    probabilities(tile, b.value, v);
    const Floor floor = floor_of(theta, tile.classes);
    const std::size_t count = tile.classes * tile.stride;
    // A probability below the smallest normal float32 stands for 0, as it does in score files.
    for (std::size_t i = 0; i < count; ++i) {
      v[i] = std::max(floor.keep * v[i] + floor.share, double{FLT_MIN});
    }
    core::kernels().f64.log_positive(v, count);
  }

  static void pullback(Params theta, const Tile& tile, const double* dv, double* gradient) {
    const Point at(theta, tile);
    Column along_scale{}, along_floor{};
    at.for_each([&](std::size_t i, std::size_t r, double share, double y) {
      along_scale[r] += dv[i] * share * y;
      along_floor[r] += dv[i] * (at.floor.keep - share);
    });
    for (std::size_t r = 0; r < tile.stride; ++r) along_scale[r] *= at.b.first[r];
    for (std::size_t j = 0; j <= kFeatures; ++j) {
      gradient[j] += dot(along_scale.data(), at.phi[j].data(), tile.stride);
    }
    gradient[kFloor] += dot(along_floor.data(), at.phi[kFeatures].data(), tile.stride);
  }

  static void pushforward(Params theta, const Tile& tile, Params direction, double* dv) {
    const Point at(theta, tile);
    Column step;
    for (std::size_t r = 0; r < tile.stride; ++r) {
      step[r] = 0.0;
      for (std::size_t j = 0; j <= kFeatures; ++j) step[r] += direction[j] * at.phi[j][r];
      step[r] *= at.b.first[r];
    }
    at.for_each([&](std::size_t i, std::size_t r, double share, double y) {
      dv[i] = share * y * step[r] + (at.floor.keep - share) * direction[kFloor];
    });
  }

  static void curvature(Params theta, const Tile& tile, const double* p, const double* dv,
                        double* hessian) {
    const Point at(theta, tile);
    const double keep = at.floor.keep;
    Column scale_twice{}, mixed{}, floor_twice{};
    at.for_each([&](std::size_t i, std::size_t r, double share, double y) {
      const double first = at.b.first[r], rest = share * (1.0 - share);
      const double along = share * first * y, down = keep - share;
      scale_twice[r] +=
          p[i] * along * along + dv[i] * (at.b.second[r] * share * y +
                                          first * first * (rest * y * y - share * at.variance[r]));
      mixed[r] += p[i] * along * down - dv[i] * rest * first * y;
      floor_twice[r] += p[i] * down * down + dv[i] * (rest - (1.0 - keep) * keep);
    });
    for (std::size_t i = 0; i <= kFeatures; ++i) {
      Column weighted;
      for (std::size_t r = 0; r < tile.stride; ++r) weighted[r] = scale_twice[r] * at.phi[i][r];
      for (std::size_t j = 0; j <= i; ++j) {
        hessian[i * kParameters + j] += dot(weighted.data(), at.phi[j].data(), tile.stride);
      }
    }
    for (std::size_t j = 0; j <= kFeatures; ++j) {
      hessian[kFloor * kParameters + j] += dot(mixed.data(), at.phi[j].data(), tile.stride);
    }
    hessian[kFloor * kParameters + kFloor] +=
        dot(floor_twice.data(), at.phi[kFeatures].data(), tile.stride);
  }

  /// A weak prior, worth a fraction of an example, around one temperature of 1 and a small floor:
  /// where the rows leave a number open (no floor at all, scores that separate the classes) it is
  /// still defined.
  static Quadratic prior(double weight, std::size_t rows) {
    Quadratic penalty;
    penalty.diagonal.assign(kParameters, weight / static_cast<double>(rows));
    penalty.origin = at_temperature(1.0);
    return penalty;
  }
  static std::optional<Bounds> bounds() { return std::nullopt; }
  static std::vector<double> sizes(std::vector<double> remembered) {
    remembered.push_back(1.0);
    return remembered;
  }

  struct Floor {
    double keep, share;  ///< 1 - a, a/K
  };
  static Floor floor_of(Params theta, std::size_t classes) {
    // The kernel's exp, so that every processor gives the same bits.
    std::array<double, 16> t, decay, unused;
    t.fill(theta[kFloor]);
    core::kernels().f64.softplus(t.data(), t.size(), decay.data(), unused.data());
    const double sum = 1.0 + decay[0], d = decay[0];
    const bool mostly = theta[kFloor] >= 0.0;
    return {(mostly ? d : 1.0) / sum, (mostly ? 1.0 : d) / sum / static_cast<double>(classes)};
  }
  /// The inverse temperature of rows with these features.
  static double inverse_temperature(Params theta) {
    return core::kernels().softplus_row(theta[kBias]) + kLeast;
  }

 private:
  static void features(const Tile& tile, Phi& phi) {
    if (tile.remembered != nullptr) {
      for (std::size_t j = 0; j <= kFeatures; ++j) {
        std::copy_n(tile.remembered + j * tile.stride, tile.stride, phi[j].data());
      }
      return;
    }
    Features::fill(tile, phi);
    std::fill_n(phi[kFeatures].data(), tile.stride, 1.0);
  }

  /// b and its derivatives with respect to w.phi + c, per row.
  struct Scale {
    Column value, first, second;
  };
  static void scale(Params theta, const Phi& phi, std::size_t stride, Scale& out) {
    Column a, decay;
    for (std::size_t r = 0; r < stride; ++r) {
      a[r] = theta[kBias];
      for (std::size_t j = 0; j < kFeatures; ++j) a[r] += theta[j] * phi[j][r];
    }
    if (stride == 1) {
      out.value[0] = core::kernels().softplus_row(a[0]) + kLeast;
      return;
    }
    core::kernels().f64.softplus(a.data(), stride, decay.data(), out.value.data());
    for (std::size_t r = 0; r < stride; ++r) {
      const double d = decay[r], sum = 1.0 + d;
      out.value[r] += kLeast;
      out.first[r] = (a[r] >= 0.0 ? 1.0 : d) / sum;
      out.second[r] = d / (sum * sum);
    }
  }
  /// softmax(b u).
  static void probabilities(const Tile& tile, const Column& b, double* p) {
    if (tile.stride == 1) {
      return core::kernels().scaled_softmax_row_f64(tile.u, tile.classes, b[0], p);
    }
    std::copy_n(tile.u, tile.classes * tile.stride, p);
    core::kernels().f64.scaled_softmax(p, tile.classes, b.data());
  }

  /// What derivatives at theta are made of.
  struct Point {
    Phi phi;
    Scale b;
    Floor floor;
    Column mean{}, variance{};  ///< of u under p
    const Tile& tile;
    core::Lease<double> p;

    Point(Params theta, const Tile& the_tile)
        : floor(floor_of(theta, the_tile.classes)),
          tile(the_tile),
          p(the_tile.classes * the_tile.stride) {
      features(tile, phi);
      scale(theta, phi, tile.stride, b);
      probabilities(tile, b.value, p.data());
      for (std::size_t k = 0; k < tile.classes; ++k) {
        for (std::size_t r = 0; r < tile.stride; ++r) {
          mean[r] += p[k * tile.stride + r] * tile.u_row(k)[r];
        }
      }
      for (std::size_t k = 0; k < tile.classes; ++k) {
        for (std::size_t r = 0; r < tile.stride; ++r) {
          const double y = tile.u_row(k)[r] - mean[r];
          variance[r] += p[k * tile.stride + r] * y * y;
        }
      }
    }
    /// Calls body(place in a tile, row, share of the class that is not floor, u - its mean).
    template <class Body>
    void for_each(const Body& body) const {
      for (std::size_t k = 0; k < tile.classes; ++k) {
        for (std::size_t r = 0; r < tile.stride; ++r) {
          const std::size_t i = k * tile.stride + r;
          const double kept = floor.keep * p.data()[i];
          body(i, r, kept / std::max(kept + floor.share, double{FLT_MIN}), tile.u[i] - mean[r]);
        }
      }
    }
  };
};

/// What the maps with a floor have in common.
struct FlooredFacts : Facts {
  static constexpr bool keeps_order = true;
  static constexpr bool is_convex = false;
  static constexpr bool ignores_shift(Gauge) { return true; }
  /// Logarithms of probabilities, cut off at the smallest normal float32, as long as b u is finite:
  /// features are below 100 for any finite scores.
  static double reach(Params theta, std::size_t, double in) {
    const bool finite = std::isfinite(1000.0 * (1.0 + largest(theta)) * in);
    return finite ? -std::log(static_cast<double>(FLT_MIN)) : HUGE_VAL;
  }
  /// (1 - a) softmax(b u) + a/K for a tensor b, or a scalar.
  template <class Math, class Graph>
  static Lowered lower_floor(Params theta, std::size_t classes, Graph& graph, const std::string& u,
                             const std::string& b) {
    const auto floor = Math::floor_of(theta, classes);
    const std::string p = graph.node("Softmax", {graph.node("Mul", {u, b})}, {{"axis", -1}});
    const std::string kept = graph.node("Mul", {p, graph.scalar("kept", floor.keep)});
    return {graph.node("Add", {kept, graph.scalar("floor", floor.share)}), true};
  }
};

}  // namespace credence::map
