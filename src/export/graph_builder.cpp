#include "export/graph_builder.hpp"

#include <onnx/onnx_pb.h>

#include <bit>
#include <cctype>
#include <cstring>

namespace credence::exporter {
namespace {

constexpr std::string_view kPrefix = "credence/";

/// ONNX keeps raw data in little-endian order.
template <class T>
void append_little_endian(std::string& bytes, T value) {
  char raw[sizeof(T)];
  std::memcpy(raw, &value, sizeof(T));
  if constexpr (std::endian::native == std::endian::big) std::reverse(raw, raw + sizeof(T));
  bytes.append(raw, sizeof(T));
}

}  // namespace

void Names::add(const ::onnx::GraphProto& graph) {
  for (const auto& value : graph.input()) taken_.insert(value.name());
  for (const auto& value : graph.output()) taken_.insert(value.name());
  for (const auto& value : graph.value_info()) taken_.insert(value.name());
  for (const auto& tensor : graph.initializer()) taken_.insert(tensor.name());
  for (const auto& tensor : graph.sparse_initializer()) taken_.insert(tensor.values().name());
  for (const auto& node : graph.node()) {
    taken_.insert(node.name());
    taken_.insert(node.input().begin(), node.input().end());
    taken_.insert(node.output().begin(), node.output().end());
    for (const auto& attribute : node.attribute()) {
      if (attribute.has_g()) add(attribute.g());
      for (const auto& inner : attribute.graphs()) add(inner);
    }
  }
}

std::string Names::unique(const std::string& wanted) {
  std::string name = wanted;
  for (std::size_t i = 2; !taken_.insert(name).second; ++i) {
    name = wanted + "_" + std::to_string(i);
  }
  return name;
}

std::string GraphBuilder::fresh(std::string_view name) {
  return names_.unique(std::string(kPrefix) + std::string(name));
}

::onnx::NodeProto& GraphBuilder::add_node(std::string_view op,
                                          const std::vector<std::string>& inputs,
                                          const std::vector<std::string>& outputs) {
  ::onnx::NodeProto& node = *graph_.add_node();
  node.set_op_type(std::string(op));
  node.set_name(fresh(op));
  for (const std::string& input : inputs) node.add_input(input);
  for (const std::string& output : outputs) node.add_output(output);
  return node;
}

void GraphBuilder::node_into(std::string_view op, const std::vector<std::string>& inputs,
                             const std::vector<std::string>& outputs,
                             std::initializer_list<Attribute> attributes) {
  ::onnx::NodeProto& node = add_node(op, inputs, outputs);
  for (const auto& [name, value] : attributes) {
    ::onnx::AttributeProto& attribute = *node.add_attribute();
    attribute.set_name(std::string(name));
    attribute.set_type(::onnx::AttributeProto::INT);
    attribute.set_i(value);
  }
}

std::string GraphBuilder::node(std::string_view op, const std::vector<std::string>& inputs,
                               std::initializer_list<Attribute> attributes) {
  std::string name(op);
  for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  std::string output = fresh(name + "_out");
  node_into(op, inputs, {output}, attributes);
  return output;
}

std::string GraphBuilder::transpose(const std::string& x, const std::vector<std::int64_t>& order) {
  std::string output = fresh("transpose_out");
  ::onnx::AttributeProto& attribute = *add_node("Transpose", {x}, {output}).add_attribute();
  attribute.set_name("perm");
  attribute.set_type(::onnx::AttributeProto::INTS);
  for (const std::int64_t axis : order) attribute.add_ints(axis);
  return output;
}

std::string GraphBuilder::cast(const std::string& x, Type to) {
  return node("Cast", {x}, {{"to", static_cast<std::int64_t>(to)}});
}

namespace {

void add_constant(::onnx::GraphProto& graph, bool as_node, ::onnx::TensorProto tensor,
                  const std::string& node_name) {
  if (!as_node) {
    *graph.add_initializer() = std::move(tensor);
    return;
  }
  ::onnx::NodeProto& node = *graph.add_node();
  node.set_op_type("Constant");
  node.set_name(node_name);
  node.add_output(tensor.name());
  ::onnx::AttributeProto& attribute = *node.add_attribute();
  attribute.set_name("value");
  attribute.set_type(::onnx::AttributeProto::TENSOR);
  *attribute.mutable_t() = std::move(tensor);
}

}  // namespace

std::string GraphBuilder::constant(std::string_view name, std::span<const double> values,
                                   const std::vector<std::int64_t>& shape) {
  ::onnx::TensorProto tensor;
  tensor.set_name(fresh(name));
  tensor.set_data_type(static_cast<int>(arithmetic_));
  for (const std::int64_t size : shape) tensor.add_dims(size);
  std::string& bytes = *tensor.mutable_raw_data();
  for (const double value : values) {
    if (arithmetic_ == Type::float64) {
      append_little_endian(bytes, value);
    } else {
      append_little_endian(bytes, static_cast<float>(value));
    }
  }
  std::string result = tensor.name();
  add_constant(graph_, constant_nodes_, std::move(tensor),
               constant_nodes_ ? fresh("Constant") : std::string{});
  return result;
}

std::string GraphBuilder::scalar(std::string_view name, double value) {
  return constant(name, std::span<const double>(&value, 1), {});
}

std::string GraphBuilder::integers(std::string_view name, std::span<const std::int64_t> values,
                                   const std::vector<std::int64_t>& shape) {
  ::onnx::TensorProto tensor;
  tensor.set_name(fresh(name));
  tensor.set_data_type(static_cast<int>(Type::int64));
  for (const std::int64_t size : shape) tensor.add_dims(size);
  for (const std::int64_t value : values) append_little_endian(*tensor.mutable_raw_data(), value);
  std::string result = tensor.name();
  add_constant(graph_, constant_nodes_, std::move(tensor),
               constant_nodes_ ? fresh("Constant") : std::string{});
  return result;
}

GraphBuilder::Top GraphBuilder::top(const std::string& x, std::int64_t count) {
  Top result{fresh("top_values"), fresh("top_indices")};
  node_into("TopK", {x, integers("top_count", std::span(&count, 1), {1})},
            {result.values, result.indices}, {{"axis", -1}});
  return result;
}

}  // namespace credence::exporter
