// An inverse temperature per example, b = softplus(w.phi(u) + c) + 0.001, with a floor below every
// class. phi = [H(p)/log K, log(1 + u1 - u2)]: how undecided the model is among all classes, and
// between the first two.
#pragma once

#include "core/exp_log.hpp"
#include "map/floored.hpp"

namespace credence::map {

struct EntropyAndMargin {
  static constexpr std::size_t kCount = 2;
  template <class Phi>
  static void fill(const Tile& tile, Phi& phi) {
    const std::size_t stride = tile.stride;
    typename Phi::value_type top, log_sum, fall, first, second;
    const core::Shape<double> shape{.top = top.data(),
                                    .log_sum = log_sum.data(),
                                    .fall = fall.data(),
                                    .first = first.data(),
                                    .second = second.data()};
    if (stride == 1) {
      core::kernels().shape_row(tile.u, tile.classes, shape);
    } else {
      core::kernels().f64.shape(tile.u, tile.classes, shape);
    }
    const double per_most = 1.0 / core::log_positive(static_cast<double>(tile.classes));
    for (std::size_t r = 0; r < stride; ++r) {
      phi[0][r] = (log_sum[r] + fall[r]) * per_most;
      first[r] = std::max(tile.u_row(0)[r], tile.u_row(1)[r]);
      second[r] = std::min(tile.u_row(0)[r], tile.u_row(1)[r]);
    }
    for (std::size_t k = 2; k < tile.classes; ++k) {
      for (std::size_t r = 0; r < stride; ++r) {
        const double u = tile.u_row(k)[r];
        second[r] = std::max(second[r], std::min(first[r], u));
        first[r] = std::max(first[r], u);
      }
    }
    for (std::size_t r = 0; r < stride; ++r) phi[1][r] = 1.0 + (first[r] - second[r]);
    core::kernels().f64.log_positive(phi[1].data(), stride);
  }
};

template <>
struct Math<AdaptiveFloor> : FlooredMath<EntropyAndMargin> {
  static Quadratic penalty(const AdaptiveFloor& map, std::size_t, std::size_t rows) {
    return prior(map.prior, rows);
  }
};
static_assert(Smooth<AdaptiveFloor>);

template <>
struct About<AdaptiveFloor> : FlooredFacts {
  static constexpr std::string_view name = "adaptive-floor";
  static constexpr std::string_view meaning =
      "a temperature per example from its entropy and margin, mixed with a share of the uniform "
      "distribution; 4 parameters";
  static constexpr std::string_view action =
      "divides the scores of each example by a temperature that depends on how sure the model is, "
      "and leaves every class a least probability";

  template <class Map, class Visit>
  static void settings(Map& map, const Visit& visit) {
    visit("prior", map.prior, 0.0, core::kAnyNumber);
  }
  static std::vector<Block> blocks(const AdaptiveFloor&, std::size_t, std::size_t) {
    return {{"weights", {Math<AdaptiveFloor>::kFeatures}}, {"scale", {}}, {"floor_log_odds", {}}};
  }
  template <class Graph>
  static Lowered lower(const AdaptiveFloor&, Params theta, std::size_t classes, Graph& graph,
                       const std::string& u) {
    using Math = map::Math<AdaptiveFloor>;
    const auto k = static_cast<std::int64_t>(classes);
    const std::string p = graph.node("Softmax", {u}, {{"axis", -1}});
    const std::string log_p = graph.node("LogSoftmax", {u}, {{"axis", -1}});
    // Sums over classes are products with a column, which also carries the weight of the feature.
    const std::vector<double> column(classes,
                                     -theta[0] / core::log_positive(static_cast<double>(classes)));
    const std::string entropy = graph.node(
        "MatMul",
        {graph.node("Mul", {p, log_p}), graph.constant("entropy_weight", column, {k, 1})});
    const std::array<double, 2> difference{1.0, -1.0};
    const std::string gap = graph.node(
        "MatMul", {graph.top(u, 2).values, graph.constant("difference", difference, {2, 1})});
    const std::string margin =
        graph.node("Log", {graph.node("Add", {gap, graph.scalar("one", 1.0)})});
    const std::string weighted =
        graph.node("Mul", {margin, graph.scalar("margin_weight", theta[1])});
    const std::string a = graph.node(
        "Add", {graph.node("Add", {entropy, weighted}), graph.scalar("scale", theta[Math::kBias])});
    const std::string b = graph.node(
        "Add",
        {graph_parts::softplus(graph, a), graph.scalar("least_inverse_temperature", Math::kLeast)});
    return lower_floor<Math>(theta, classes, graph, u, b);
  }
};

}  // namespace credence::map
