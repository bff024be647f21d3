// Tensors that a network keeps in files beside it.
#include <fmt/format.h>

#include <filesystem>
#include <set>

#include "credence/error.hpp"
#include "export/network.hpp"

namespace credence::exporter {
namespace {

class Collector {
 public:
  explicit Collector(const std::string& origin) : origin_(origin) {}

  void add(const ::onnx::TensorProto& tensor) {
    if (tensor.data_location() != ::onnx::TensorProto::EXTERNAL) return;
    for (const auto& entry : tensor.external_data()) {
      if (entry.key() == "location") files_.insert(checked(entry.value()));
    }
  }
  void add(const ::onnx::SparseTensorProto& tensor) {
    add(tensor.values());
    add(tensor.indices());
  }
  void add(const ::onnx::NodeProto& node) {
    for (const auto& attribute : node.attribute()) {
      if (attribute.has_t()) add(attribute.t());
      for (const auto& tensor : attribute.tensors()) add(tensor);
      if (attribute.has_sparse_tensor()) add(attribute.sparse_tensor());
      for (const auto& tensor : attribute.sparse_tensors()) add(tensor);
      if (attribute.has_g()) add(attribute.g());
      for (const auto& graph : attribute.graphs()) add(graph);
    }
  }
  void add(const ::onnx::GraphProto& graph) {
    for (const auto& tensor : graph.initializer()) add(tensor);
    for (const auto& tensor : graph.sparse_initializer()) add(tensor);
    for (const auto& node : graph.node()) add(node);
  }
  std::vector<std::string> files() const { return {files_.begin(), files_.end()}; }

 private:
  /// A file that leads elsewhere would let a network read, or have copied, what it should not.
  std::string checked(const std::string& location) const {
    const std::filesystem::path path(location);
    bool inside = !path.empty() && path.is_relative() && location.find('\0') == std::string::npos;
    for (const auto& part : path) inside = inside && part != "..";
    if (!inside) {
      throw Error(ErrorCode::format,
                  fmt::format("{}: its external data are at '{}', outside of its folder", origin_,
                              location),
                  "save the network again with its data beside it");
    }
    return path.lexically_normal().string();
  }

  const std::string& origin_;
  std::set<std::string> files_;
};

}  // namespace

std::vector<std::string> external_data(const ::onnx::ModelProto& model, const std::string& origin) {
  Collector collector(origin);
  collector.add(model.graph());
  for (const auto& function : model.functions()) {
    for (const auto& node : function.node()) collector.add(node);
  }
  return collector.files();
}

}  // namespace credence::exporter
