// Isotonic steps and histogram bins: the top confidence is looked up, the other classes share the
// rest in proportion.
#include <bit>
#include <cstdint>
#include <functional>

#include "export/lowering.hpp"

namespace credence::exporter {
namespace {

/// How a row's confidence is compared with an edge between two steps.
enum class Edge {
  belongs_above,  ///< confidence >= edge is the step above: isotonic
  belongs_below,  ///< confidence > edge is the step above: histogram
};

std::string is_above(GraphBuilder& graph, const std::string& confidence, const std::string& edges,
                     Edge edge) {
  if (edge == Edge::belongs_below) return graph.node("Less", {edges, confidence});
  return graph.node("Not", {graph.node("Less", {confidence, edges})});
}

/// Comparing with all edges at once needs memory for rows x edges; few edges are simplest that way.
constexpr std::size_t kMostCompared = 256;

std::string count_below(GraphBuilder& graph, const std::string& confidence, Params edges,
                        Edge edge) {
  const auto count = static_cast<std::int64_t>(edges.size());
  const std::string above =
      is_above(graph, confidence, graph.constant("edges", edges, {count}), edge);
  const std::vector<double> ones(edges.size(), 1.0);
  const std::string sum = graph.node(
      "MatMul", {graph.cast(above, graph.arithmetic()), graph.constant("ones", ones, {count, 1})});
  return graph.cast(sum, Type::int64);
}

/// The same by halving: memory for the rows alone.
std::string search(GraphBuilder& graph, const std::string& confidence, Params edges, Edge edge) {
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
    const std::string above = graph.cast(is_above(graph, confidence, probe, edge), Type::int64);
    const std::string moved = graph.node("Mul", {above, graph.integers("half", {&step, 1}, {})});
    low = low.empty() ? moved : graph.node("Add", {low, moved});
  }
  return low;
}

std::string look_up(GraphBuilder& graph, const std::string& confidence, Params edges, Params values,
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
std::string confidence_of(GraphBuilder& graph, const std::string& u, const std::string& largest,
                          std::size_t classes) {
  const std::string e = graph.node("Exp", {graph.node("Sub", {u, largest})});
  const std::int64_t axis = -1, last = static_cast<std::int64_t>(classes) - 1;
  const std::string sums = graph.node("CumSum", {e, graph.integers("last_axis", {&axis, 1}, {})});
  const std::string sum =
      graph.node("Gather", {sums, graph.integers("last_class", {&last, 1}, {1})}, {{"axis", -1}});
  return graph.node("Div", {graph.scalar("one", 1.0), sum});
}

using Recalibrate = std::function<std::string(const std::string& confidence)>;

StageResult replace_top(GraphBuilder& graph, const std::string& u, std::size_t classes,
                        const Recalibrate& recalibrate) {
  const GraphBuilder::Top top = graph.top(u, 1);
  const std::string confidence = confidence_of(graph, u, top.values, classes);
  const std::string g = recalibrate(confidence);
  // The others among themselves: (1 - g) softmax over them. Scaling by (1 - g)/(1 - p1) instead
  // would lose the sum where p1 is close to 1.
  const double nothing = graph.arithmetic() == Type::float64 ? -1e300 : -1e38;
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

}  // namespace

StageResult lower_map(const TopLabelIsotonic&, Params theta, std::size_t classes,
                      GraphBuilder& graph, const std::string& u) {
  const std::size_t edges = theta.size() / 2;
  return replace_top(graph, u, classes, [&](const std::string& confidence) {
    return look_up(graph, confidence, theta.first(edges), theta.subspan(edges),
                   Edge::belongs_above);
  });
}

StageResult lower_map(const TopLabelHistogram&, Params theta, std::size_t classes,
                      GraphBuilder& graph, const std::string& u) {
  std::vector<double> edges;
  for (std::size_t b = 1; b < theta.size(); ++b) {
    edges.push_back(static_cast<double>(b) / static_cast<double>(theta.size()));
  }
  return replace_top(graph, u, classes, [&](const std::string& confidence) {
    const std::string value = look_up(graph, confidence, edges, theta, Edge::belongs_below);
    // A bin that was empty (-1) leaves the confidence alone.
    const std::string empty = graph.node("Less", {value, graph.scalar("zero", 0.0)});
    return graph.node("Where", {empty, confidence, value});
  });
}

}  // namespace credence::exporter
