// Pieces of ONNX graphs that several maps use.
#pragma once

#include <string>

namespace credence::map::graph_parts {

/// max(a, 0) + log(1 + exp(-|a|)); runtimes have the operator Softplus in float32 only.
template <class Graph>
std::string softplus(Graph& graph, const std::string& a) {
  const std::string decay = graph.node("Exp", {graph.node("Neg", {graph.node("Abs", {a})})});
  const std::string tail =
      graph.node("Log", {graph.node("Add", {decay, graph.scalar("one", 1.0)})});
  return graph.node("Add", {graph.node("Max", {a, graph.scalar("zero", 0.0)}), tail});
}

}  // namespace credence::map::graph_parts
