// What the isotonic and histogram maps share: facts, and graphs in which the top confidence is
// looked up and the other classes share the rest in proportion.
#pragma once

#include <bit>
#include <cfloat>
#include <cmath>
#include <cstdint>

#include "map/about.hpp"

namespace credence::map {

struct TopLabelFacts : Facts {
  static constexpr bool has_steps = true;
  /// Logarithms of probabilities, cut off at the smallest normal float32.
  static double reach(Params, std::size_t, double) {
    return -std::log(static_cast<double>(FLT_MIN));
  }
};

}  // namespace credence::map

namespace credence::map::top_label_graph {

/// How a row's confidence is compared with an edge between two steps.
enum class Edge {
  belongs_above,  ///< confidence >= edge is the step above: isotonic
  belongs_below,  ///< confidence > edge is the step above: histogram
};

template <class Graph>
std::string is_above(Graph& graph, const std::string& confidence, const std::string& edges,
                     Edge edge) {
  if (edge == Edge::belongs_below) return graph.node("Less", {edges, confidence});
  return graph.node("Not", {graph.node("Less", {confidence, edges})});
}

/// Comparing with all edges at once needs memory for rows x edges; few edges are simplest that way.
inline constexpr std::size_t kMostCompared = 256;

template <class Graph>
std::string count_below(Graph& graph, const std::string& confidence, Params edges, Edge edge) {
  const auto count = static_cast<std::int64_t>(edges.size());
  const std::string above =
      is_above(graph, confidence, graph.constant("edges", edges, {count}), edge);
  const std::vector<double> ones(edges.size(), 1.0);
  const std::string sum =
      graph.node("MatMul", {graph.to_numbers(above), graph.constant("ones", ones, {count, 1})});
  return graph.to_integers(sum);
}

/// The same by halving: memory for the rows alone.
template <class Graph>
std::string search(Graph& graph, const std::string& confidence, Params edges, Edge edge) {
  std::vector<double> padded(edges.begin(), edges.end());
  padded.resize(std::bit_ceil(edges.size() + 1) - 1, 2.0);  // above every confidence
  const std::string table =
      graph.constant("edges", padded, {static_cast<std::int64_t>(padded.size())});
  std::string low;
  for (std::size_t half = std::bit_ceil(padded.size()) / 2; half > 0; half /= 2) {
    const auto step = static_cast<std::int64_t>(half);
    const std::int64_t offset = step - 1;
    const std::string probe =
        low.empty()
            ? graph.scalar("middle", padded[half - 1])
            : graph.node(
                  "Gather",
                  {table, graph.node("Add", {low, graph.integers("offset", {&offset, 1}, {})})},
                  {{"axis", 0}});
    const std::string above = graph.to_integers(is_above(graph, confidence, probe, edge));
    const std::string moved = graph.node("Mul", {above, graph.integers("half", {&step, 1}, {})});
    low = low.empty() ? moved : graph.node("Add", {low, moved});
  }
  return low;
}

template <class Graph>
std::string look_up(Graph& graph, const std::string& confidence, Params edges, Params values,
                    Edge edge) {
  if (edges.empty()) {
    const std::string nothing = graph.node("Mul", {confidence, graph.scalar("zero", 0.0)});
    return graph.node("Add", {nothing, graph.scalar("value", values[0])});
  }
  const std::string index = edges.size() <= kMostCompared
                                ? count_below(graph, confidence, edges, edge)
                                : search(graph, confidence, edges, edge);
  const auto count = static_cast<std::int64_t>(values.size());
  return graph.node("Gather", {graph.constant("values", values, {count}), index}, {{"axis", 0}});
}

/// 1 / sum of exp(u - max u), added in the order of the classes as the engine does: a confidence of
/// exactly 1 may be a step of its own, and another order would round to it in other rows.
template <class Graph>
std::string confidence_of(Graph& graph, const std::string& u, const std::string& largest,
                          std::size_t classes) {
  const std::string e = graph.node("Exp", {graph.node("Sub", {u, largest})});
  const std::int64_t axis = -1, last = static_cast<std::int64_t>(classes) - 1;
  const std::string sums = graph.node("CumSum", {e, graph.integers("last_axis", {&axis, 1}, {})});
  const std::string sum =
      graph.node("Gather", {sums, graph.integers("last_class", {&last, 1}, {1})}, {{"axis", -1}});
  return graph.node("Div", {graph.scalar("one", 1.0), sum});
}

template <class Graph, class Recalibrate>
Lowered replace_top(Graph& graph, const std::string& u, std::size_t classes,
                    const Recalibrate& recalibrate) {
  const auto top = graph.top(u, 1);
  const std::string confidence = confidence_of(graph, u, top.values, classes);
  const std::string g = recalibrate(confidence);
  // The others among themselves: (1 - g) softmax over them. Scaling by (1 - g)/(1 - p1) instead
  // would lose the sum where p1 is close to 1.
  const double nothing = graph.in_float64() ? -1e300 : -1e38;
  const std::string gone =
      graph.node("Add", {graph.node("Mul", {confidence, graph.scalar("zero", 0.0)}),
                         graph.scalar("impossible", nothing)});
  const std::string others =
      graph.node("Softmax", {graph.node("ScatterElements", {u, top.indices, gone}, {{"axis", -1}})},
                 {{"axis", -1}});
  const std::string rest = graph.node("Sub", {graph.scalar("one", 1.0), g});
  return {graph.node("ScatterElements", {graph.node("Mul", {others, rest}), top.indices, g},
                     {{"axis", -1}}),
          true};
}

}  // namespace credence::map::top_label_graph
