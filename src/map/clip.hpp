// f(u) = b log((1-a) softmax(u) + a/K): probabilities are raised to a least one before a
// temperature divides their logarithms. For models that say 0 where they mean seldom: naive Bayes,
// forests. b and a are made of theta = [c, t] as for a floor: b = softplus(c) + 0.001, a =
// 1/(1+exp(-t)).
#pragma once

#include "map/floor.hpp"

namespace credence::map {

template <>
struct Math<Clip> {
  using Shared = FlooredMath<NoFeatures>;
  using Column = Shared::Column;
  static constexpr std::size_t kParameters = 2;
  /// Below what float32 scores can tell from 0.
  static constexpr double kNoClip = -95.0;

  static std::size_t parameters(std::size_t) { return kParameters; }
  static std::vector<double> identity(std::size_t) {
    return {Shared::at_temperature(1.0)[0], kNoClip};
  }
  static std::vector<double> at_temperature(double temperature) {
    return Shared::at_temperature(temperature);
  }
  /// Models that clip late, as float32 and float64 do, and such as should.
  static std::vector<std::vector<double>> starts(double temperature) {
    const double c = at_temperature(temperature)[0];
    return {{c, Shared::kUsualFloor}, {c, -15.0}, {c, -40.0}};
  }

  static void logits(Params theta, const Tile& tile, double* v) {
    logarithms(theta, tile, v);
    const double b = Shared::inverse_temperature(theta);
    for (std::size_t i = 0; i < tile.classes * tile.stride; ++i) v[i] *= b;
  }
  static void pullback(Params theta, const Tile& tile, const double* dv, double* gradient) {
    const Point at(theta, tile);
    Column scale{}, floor{};
    at.for_each([&](std::size_t i, std::size_t r, double log, double down) {
      scale[r] += dv[i] * at.first * log;
      floor[r] += dv[i] * at.b * down;
    });
    Column ones;
    ones.fill(1.0);
    gradient[0] += dot(scale.data(), ones.data(), tile.stride);
    gradient[1] += dot(floor.data(), ones.data(), tile.stride);
  }
  static void pushforward(Params theta, const Tile& tile, Params direction, double* dv) {
    const Point at(theta, tile);
    at.for_each([&](std::size_t i, std::size_t, double log, double down) {
      dv[i] = direction[0] * at.first * log + direction[1] * at.b * down;
    });
  }
  static void curvature(Params theta, const Tile& tile, const double* p, const double* dv,
                        double* hessian) {
    const Point at(theta, tile);
    Column scale{}, mixed{}, floor{}, mean_scale{}, mean_floor{}, ones;
    ones.fill(1.0);
    at.for_each([&](std::size_t i, std::size_t r, double log, double down) {
      const double x = at.first * log, y = at.b * down, share = at.keep - down;
      mean_scale[r] += p[i] * x;
      mean_floor[r] += p[i] * y;
      scale[r] += p[i] * x * x + dv[i] * at.second * log;
      mixed[r] += p[i] * x * y + dv[i] * at.first * down;
      floor[r] += p[i] * y * y + dv[i] * at.b * (share * (1.0 - share) - at.keep * (1.0 - at.keep));
    });
    for (std::size_t r = 0; r < tile.stride; ++r) {
      scale[r] -= mean_scale[r] * mean_scale[r];
      mixed[r] -= mean_scale[r] * mean_floor[r];
      floor[r] -= mean_floor[r] * mean_floor[r];
    }
    hessian[0] += dot(scale.data(), ones.data(), tile.stride);
    hessian[2] += dot(mixed.data(), ones.data(), tile.stride);
    hessian[3] += dot(floor.data(), ones.data(), tile.stride);
  }
  /// As weak as it can be and still define a floor that no row asks for.
  static Quadratic penalty(const Clip& map, std::size_t, std::size_t rows) {
    Quadratic penalty;
    penalty.diagonal.assign(kParameters, map.prior / static_cast<double>(rows));
    penalty.origin = {at_temperature(1.0)[0], -10.0};
    return penalty;
  }
  static std::optional<Bounds> bounds() { return std::nullopt; }
  static std::vector<double> sizes(const std::vector<double>& inputs) {
    return {largest(inputs), 1.0};
  }

 private:
  /// (1-a) softmax(u) + a/K.
  static void raise(const Shared::Floor& floor, const Tile& tile, double* v) {
    const std::size_t count = tile.classes * tile.stride;
    if (tile.stride == 1) {
      core::kernels().softmax_row_f64(tile.u, tile.classes, v);
    } else {
      Column lse;
      std::copy_n(tile.u, count, v);
      core::kernels().f64.softmax(v, tile.classes, lse.data());
    }
    for (std::size_t i = 0; i < count; ++i) {
      v[i] = std::max(floor.keep * v[i] + floor.share, double{FLT_MIN});
    }
  }
  /// The logarithms of these.
  static void logarithms(Params theta, const Tile& tile, double* v) {
    raise(Shared::floor_of(theta, tile.classes), tile, v);
    core::kernels().f64.log_positive(v, tile.classes * tile.stride);
  }

  /// What derivatives at theta are made of.
  struct Point {
    double b, first, second;  ///< b and its derivatives with respect to c
    double keep, share;       ///< 1 - a, a/K
    std::size_t count, stride;
    core::Lease<double> logs, raised;

    Point(Params theta, const Tile& tile)
        : b(Shared::inverse_temperature(theta)),
          count(tile.classes * tile.stride),
          stride(tile.stride),
          logs(count),
          raised(count) {
      std::array<double, 16> c, decay, unused;
      c.fill(theta[0]);
      core::kernels().f64.softplus(c.data(), c.size(), decay.data(), unused.data());
      const double sum = 1.0 + decay[0];
      first = (theta[0] >= 0.0 ? 1.0 : decay[0]) / sum;
      second = decay[0] / (sum * sum);
      const Shared::Floor floor = Shared::floor_of(theta, tile.classes);
      keep = floor.keep;
      share = floor.share;
      raise(floor, tile, raised.data());
      std::copy_n(raised.data(), count, logs.data());
      core::kernels().f64.log_positive(logs.data(), count);
    }
    /// Calls body(place, row, log of the raised probability, its derivative by t).
    template <class Body>
    void for_each(const Body& body) const {
      for (std::size_t of_class = 0; of_class < count; of_class += stride) {
        for (std::size_t r = 0; r < stride; ++r) {
          const std::size_t i = of_class + r;
          // 1 - a less the share that is not floor.
          body(i, r, logs.data()[i], keep - (1.0 - share / raised.data()[i]));
        }
      }
    }
  };
};
static_assert(Smooth<Clip>);

template <>
struct About<Clip> : Facts {
  static constexpr std::string_view name = "clip";
  static constexpr std::string_view meaning =
      "raises probabilities to a fitted least one, then divides their logarithms by one "
      "temperature; 2 parameters";
  static constexpr std::string_view action =
      "raises probabilities to a least one and divides their logarithms by one temperature";
  static constexpr bool keeps_order = true;
  static constexpr bool is_convex = false;

  static constexpr bool ignores_shift(Gauge) { return true; }
  template <class Map, class Visit>
  static void settings(Map& map, const Visit& visit) {
    visit("prior", map.prior, 0.0, core::kAnyNumber);
  }
  static std::vector<Block> blocks(const Clip&, std::size_t, std::size_t) {
    return {{"scale", {}}, {"floor_log_odds", {}}};
  }
  static double reach(Params theta, std::size_t, double) {
    return -std::log(static_cast<double>(FLT_MIN)) * (1.0 + largest(theta));
  }
  template <class Graph>
  static Lowered lower(const Clip&, Params theta, std::size_t classes, Graph& graph,
                       const std::string& u) {
    using Shared = Math<Clip>::Shared;
    const auto floor = Shared::floor_of(theta, classes);
    const std::string p = graph.node("Softmax", {u}, {{"axis", -1}});
    const std::string kept = graph.node("Mul", {p, graph.scalar("kept", floor.keep)});
    const double share = std::max(floor.share, double{FLT_MIN});
    const std::string raised = graph.node("Add", {kept, graph.scalar("floor", share)});
    return {graph.node("Mul",
                       {graph.node("Log", {raised}),
                        graph.scalar("inverse_temperature", Shared::inverse_temperature(theta))})};
  }
};

}  // namespace credence::map
