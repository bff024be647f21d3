// Adds nodes and constants to an ONNX graph under names that nobody else uses.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

namespace onnx {
class GraphProto;
class NodeProto;
}  // namespace onnx

namespace credence::exporter {

/// Element types that the graphs here use; the numbers are those of ONNX.
enum class Type : int { float32 = 1, int64 = 7, float16 = 10, float64 = 11 };

/// Names already taken in a graph and everything inside it.
class Names {
 public:
  Names() = default;
  explicit Names(const ::onnx::GraphProto& graph) { add(graph); }
  void add(const ::onnx::GraphProto& graph);
  /// `wanted`, or the first of wanted_2, wanted_3, ... that is free; taken from then on.
  std::string unique(const std::string& wanted);
  bool contains(const std::string& name) const { return taken_.contains(name); }

 private:
  std::unordered_set<std::string> taken_;
};

using Attribute = std::pair<std::string_view, std::int64_t>;
using Integers = std::pair<std::string_view, std::vector<std::int64_t>>;

/// Values are named by the tensors that hold them. All arithmetic is in `arithmetic`.
class GraphBuilder {
 public:
  /// `constant_nodes`: constants become nodes, for IR versions below 4, whose initialisers would be
  /// inputs as well.
  GraphBuilder(::onnx::GraphProto& graph, Names& names, Type arithmetic,
               bool constant_nodes = false)
      : graph_(graph), names_(names), arithmetic_(arithmetic), constant_nodes_(constant_nodes) {}

  Type arithmetic() const { return arithmetic_; }

  /// A node with one output.
  std::string node(std::string_view op, const std::vector<std::string>& inputs,
                   std::initializer_list<Attribute> attributes = {});
  /// The same with names for its outputs.
  void node_into(std::string_view op, const std::vector<std::string>& inputs,
                 const std::vector<std::string>& outputs,
                 std::initializer_list<Attribute> attributes = {});
  std::string transpose(const std::string& x, const std::vector<std::int64_t>& order);
  std::string cast(const std::string& x, Type to);
  bool in_float64() const { return arithmetic_ == Type::float64; }
  std::string to_numbers(const std::string& x) { return cast(x, arithmetic_); }
  std::string to_integers(const std::string& x) { return cast(x, Type::int64); }

  /// Constants in the type of the arithmetic. No dimension makes a scalar.
  std::string constant(std::string_view name, std::span<const double> values,
                       const std::vector<std::int64_t>& shape);
  std::string scalar(std::string_view name, double value);
  std::string integers(std::string_view name, std::span<const std::int64_t> values,
                       const std::vector<std::int64_t>& shape);

  /// The largest entries along the last axis and where they are (the lowest index on ties).
  struct Top {
    std::string values, indices;
  };
  Top top(const std::string& x, std::int64_t count);

  /// A name for a tensor, not yet taken.
  std::string fresh(std::string_view name);

 private:
  ::onnx::NodeProto& add_node(std::string_view op, const std::vector<std::string>& inputs,
                              const std::vector<std::string>& outputs);

  ::onnx::GraphProto& graph_;
  Names& names_;
  Type arithmetic_;
  bool constant_nodes_;
};

}  // namespace credence::exporter
