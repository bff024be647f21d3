// Maps that are linear in u: a temperature, one per class, weights and biases, a matrix.
#include <cstdint>

#include "export/lowering.hpp"

namespace credence::exporter {

StageResult lower_map(const Identity&, Params, std::size_t, GraphBuilder&, const std::string& u) {
  return {u};
}

StageResult lower_map(const Temperature&, Params theta, std::size_t, GraphBuilder& graph,
                      const std::string& u) {
  return {graph.node("Mul", {u, graph.scalar("inverse_temperature", theta[0])})};
}

StageResult lower_map(const ClassTemperatures&, Params theta, std::size_t classes,
                      GraphBuilder& graph, const std::string& u) {
  const auto k = static_cast<std::int64_t>(classes);
  return {graph.node("Mul", {u, graph.constant("inverse_temperatures", theta, {k})})};
}

StageResult lower_map(const DiagonalAffine&, Params theta, std::size_t classes, GraphBuilder& graph,
                      const std::string& u) {
  const auto k = static_cast<std::int64_t>(classes);
  const std::string scaled =
      graph.node("Mul", {u, graph.constant("weights", theta.first(classes), {k})});
  return {graph.node("Add", {scaled, graph.constant("bias", theta.subspan(classes), {k})})};
}

StageResult lower_map(const MatrixAffine&, Params theta, std::size_t classes, GraphBuilder& graph,
                      const std::string& u) {
  const auto k = static_cast<std::int64_t>(classes);
  // Rows are examples, so u stands on the left and W is transposed. MatMul takes any rank, Gemm
  // two.
  std::vector<double> transposed(classes * classes);
  for (std::size_t i = 0; i < classes; ++i) {
    for (std::size_t j = 0; j < classes; ++j) transposed[j * classes + i] = theta[i * classes + j];
  }
  const std::string product =
      graph.node("MatMul", {u, graph.constant("weights", transposed, {k, k})});
  return {
      graph.node("Add", {product, graph.constant("bias", theta.subspan(classes * classes), {k})})};
}

}  // namespace credence::exporter
