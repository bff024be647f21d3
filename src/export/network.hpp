// Questions about somebody's network.
#pragma once

#include <onnx/onnx_pb.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "credence/export.hpp"

namespace credence::exporter {

/// Which node of the main graph gives a tensor.
class Producers {
 public:
  explicit Producers(const ::onnx::GraphProto& graph);
  /// -1 when no node does: an input or an initialiser.
  int of(const std::string& tensor) const;

 private:
  std::unordered_map<std::string, int> node_of_;
};

bool is_default_domain(const std::string& domain);
/// Version of the default operators; 0 when the network imports none.
int opset_of(const ::onnx::ModelProto& model);
const ::onnx::AttributeProto* find_attribute(const ::onnx::NodeProto& node, std::string_view name);

/// Where the scores of K classes come out of a network.
struct ScoresOutput {
  int output = 0;      ///< index among the graph's outputs
  std::string tensor;  ///< the scores themselves
  int zip_map = -1;    ///< node that turns them into a list of dictionaries, or -1
  Precision precision = Precision::float32;
  std::vector<std::int64_t> shape;  ///< -1: open; empty: not known at all
  std::size_t class_axis = 1;
  std::vector<std::string> notes;
};
ScoresOutput find_scores(const ::onnx::GraphProto& graph, const Producers& producers,
                         std::size_t classes, const AppendOptions& options,
                         const std::string& origin);

/// What the scores are, and which tensor to read.
struct Reading {
  ScoreKind kind = ScoreKind::logits;
  int tapped = -1;          ///< the final softmax, whose input is read instead of its output
  bool is_assumed = false;  ///< nothing in the network says so
  std::vector<std::string> notes;
};
Reading decide_reading(const ::onnx::ModelProto& model, const Producers& producers,
                       const ScoresOutput& scores, Gauge gauge, const AppendOptions& options,
                       const std::string& origin);

/// Names of the K classes in the order of the network's columns; empty when it carries none. What
/// looks like names and is of no use is said in `notes`; two lists of names that differ are an
/// Error.
std::vector<std::string> class_labels(const ::onnx::ModelProto& model, const ScoresOutput& scores,
                                      std::size_t classes, const std::string& origin,
                                      std::vector<std::string>& notes);

/// Files that hold tensors of the network, as paths relative to its folder. A path that leads out
/// of that folder is an Error.
std::vector<std::string> external_data(const ::onnx::ModelProto& model, const std::string& origin);

/// A tensor gets another name, wherever it is given, used or described, inner graphs included.
void rename_tensor(::onnx::GraphProto& graph, const std::string& from, const std::string& to);
/// True when a node, of an inner graph too, reads the tensor.
bool is_used(const ::onnx::GraphProto& graph, const std::string& tensor);

}  // namespace credence::exporter
