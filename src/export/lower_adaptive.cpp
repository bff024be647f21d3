// u / T with T = softplus(w.phi + c) + 0.1, phi = [max u, H(p)/log K, p1 - p2, p1].
#include <cmath>
#include <cstdint>

#include "export/lowering.hpp"

namespace credence::exporter {
namespace {

constexpr double kLeastTemperature = 0.1;

/// max(a, 0) + log(1 + exp(-|a|)); runtimes have the operator Softplus in float32 only.
std::string softplus(GraphBuilder& graph, const std::string& a) {
  const std::string decay = graph.node("Exp", {graph.node("Neg", {graph.node("Abs", {a})})});
  const std::string tail =
      graph.node("Log", {graph.node("Add", {decay, graph.scalar("one", 1.0)})});
  return graph.node("Add", {graph.node("Max", {a, graph.scalar("zero", 0.0)}), tail});
}

}  // namespace

StageResult lower_map(const AdaptiveTemperature&, Params theta, std::size_t classes,
                      GraphBuilder& graph, const std::string& u) {
  const auto k = static_cast<std::int64_t>(classes);
  const std::string p = graph.node("Softmax", {u}, {{"axis", -1}});
  const std::string log_p = graph.node("LogSoftmax", {u}, {{"axis", -1}});
  const std::string largest =
      graph.node("Mul", {graph.top(u, 1).values, graph.scalar("largest_weight", theta[0])});
  // Sums over classes are products with a column, which also carries the weight of the feature.
  const std::vector<double> column(classes, -theta[1] / std::log(static_cast<double>(classes)));
  const std::string entropy = graph.node(
      "MatMul", {graph.node("Mul", {p, log_p}), graph.constant("entropy_weight", column, {k, 1})});
  const double pair[] = {theta[2] + theta[3], -theta[2]};
  const std::string confidence = graph.node(
      "MatMul", {graph.top(p, 2).values, graph.constant("confidence_weights", pair, {2, 1})});
  const std::string features =
      graph.node("Add", {graph.node("Add", {largest, entropy}), confidence});
  const std::string a = graph.node("Add", {features, graph.scalar("bias", theta[4])});
  const std::string temperature =
      graph.node("Add", {softplus(graph, a), graph.scalar("least_temperature", kLeastTemperature)});
  return {graph.node("Div", {u, temperature})};
}

}  // namespace credence::exporter
