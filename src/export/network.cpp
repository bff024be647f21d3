#include "export/network.hpp"

#include <algorithm>

namespace credence::exporter {

Producers::Producers(const ::onnx::GraphProto& graph) {
  for (int i = 0; i < graph.node_size(); ++i) {
    for (const std::string& output : graph.node(i).output()) {
      if (!output.empty()) node_of_.emplace(output, i);
    }
  }
}

int Producers::of(const std::string& tensor) const {
  const auto found = node_of_.find(tensor);
  return found == node_of_.end() ? -1 : found->second;
}

bool is_default_domain(const std::string& domain) { return domain.empty() || domain == "ai.onnx"; }

int opset_of(const ::onnx::ModelProto& model) {
  for (const auto& opset : model.opset_import()) {
    if (!is_default_domain(opset.domain())) continue;
    constexpr std::int64_t kMost = 1000;  // a number beyond any opset, and within int
    return static_cast<int>(std::clamp<std::int64_t>(opset.version(), 1, kMost));
  }
  return 0;
}

const ::onnx::AttributeProto* find_attribute(const ::onnx::NodeProto& node, std::string_view name) {
  for (const auto& attribute : node.attribute()) {
    if (attribute.name() == name) return &attribute;
  }
  return nullptr;
}

void rename_tensor(::onnx::GraphProto& graph, const std::string& from, const std::string& to) {
  const auto rename = [&](std::string& name) {
    if (name == from) name = to;
  };
  for (auto& node : *graph.mutable_node()) {
    for (std::string& input : *node.mutable_input()) rename(input);
    for (std::string& output : *node.mutable_output()) rename(output);
    for (auto& attribute : *node.mutable_attribute()) {
      if (attribute.has_g()) rename_tensor(*attribute.mutable_g(), from, to);
      for (auto& inner : *attribute.mutable_graphs()) rename_tensor(inner, from, to);
    }
  }
  for (auto& value : *graph.mutable_value_info()) rename(*value.mutable_name());
  for (auto& annotation : *graph.mutable_quantization_annotation()) {
    rename(*annotation.mutable_tensor_name());
  }
  // An inner graph may hand the tensor out as it is.
  for (auto& value : *graph.mutable_output()) rename(*value.mutable_name());
}

namespace {

/// An inner graph may also hand the tensor out as it is.
bool inner_uses(const ::onnx::GraphProto& graph, const std::string& tensor) {
  for (const auto& value : graph.output()) {
    if (value.name() == tensor) return true;
  }
  return is_used(graph, tensor);
}

}  // namespace

bool is_used(const ::onnx::GraphProto& graph, const std::string& tensor) {
  for (const auto& node : graph.node()) {
    for (const std::string& input : node.input()) {
      if (input == tensor) return true;
    }
    for (const auto& attribute : node.attribute()) {
      if (attribute.has_g() && inner_uses(attribute.g(), tensor)) return true;
      for (const auto& inner : attribute.graphs()) {
        if (inner_uses(inner, tensor)) return true;
      }
    }
  }
  return false;
}

}  // namespace credence::exporter
