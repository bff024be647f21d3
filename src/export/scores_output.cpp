// Which output of a network holds the scores, and on which axis its classes are.
#include <fmt/format.h>

#include <algorithm>

#include "credence/error.hpp"
#include "export/network.hpp"

namespace credence::exporter {
namespace {

std::optional<Precision> precision_of(int type) {
  switch (type) {
    case ::onnx::TensorProto::FLOAT:
      return Precision::float32;
    case ::onnx::TensorProto::FLOAT16:
      return Precision::float16;
    case ::onnx::TensorProto::DOUBLE:
      return Precision::float64;
    default:
      return std::nullopt;
  }
}

std::vector<std::int64_t> shape_of(const ::onnx::TypeProto::Tensor& tensor) {
  std::vector<std::int64_t> shape;
  for (const auto& dim : tensor.shape().dim()) {
    shape.push_back(dim.has_dim_value() && dim.dim_value() > 0 ? dim.dim_value() : -1);
  }
  return shape;
}

std::size_t label_count(const ::onnx::NodeProto& zip_map) {
  std::size_t count = 0;
  for (const auto& attribute : zip_map.attribute()) {
    count = std::max({count, static_cast<std::size_t>(attribute.strings_size()),
                      static_cast<std::size_t>(attribute.ints_size())});
  }
  return count;
}

std::string in_words(const ::onnx::ValueInfoProto& value) {
  if (!value.type().has_tensor_type()) return fmt::format("'{}' (no tensor)", value.name());
  const auto& tensor = value.type().tensor_type();
  std::string type = "unknown type";
  if (::onnx::TensorProto::DataType_IsValid(tensor.elem_type())) {
    type = ::onnx::TensorProto::DataType_Name(
        static_cast<::onnx::TensorProto::DataType>(tensor.elem_type()));
  }
  if (!tensor.has_shape()) return fmt::format("'{}' ({} of unknown shape)", value.name(), type);
  std::string dims;
  for (const std::int64_t size : shape_of(tensor)) {
    dims += (dims.empty() ? "" : ", ") + (size < 0 ? std::string("?") : std::to_string(size));
  }
  return fmt::format("'{}' ({} [{}])", value.name(), type, dims);
}

constexpr int kMostListed = 20;

std::string all_outputs(const ::onnx::GraphProto& graph) {
  std::vector<std::string> words;
  for (int i = 0; i < std::min(graph.output_size(), kMostListed); ++i) {
    words.push_back(in_words(graph.output(i)));
  }
  return fmt::format("{}", fmt::join(words, ", "));
}

/// Axes that can be that of the classes: those with K entries, but not the first, which is the
/// batch.
std::vector<std::size_t> class_axes(const std::vector<std::int64_t>& shape, std::size_t classes) {
  std::vector<std::size_t> axes;
  for (std::size_t axis = 1; axis < shape.size(); ++axis) {
    if (shape[axis] == static_cast<std::int64_t>(classes)) axes.push_back(axis);
  }
  return axes;
}

/// The scores at one output, when it can hold any; the class axis is not yet chosen.
std::optional<ScoresOutput> scores_at(const ::onnx::GraphProto& graph, int index,
                                      const Producers& producers) {
  const ::onnx::ValueInfoProto& value = graph.output(index);
  ScoresOutput scores;
  scores.output = index;
  scores.tensor = value.name();
  const int producer = producers.of(value.name());
  if (producer >= 0 && graph.node(producer).op_type() == "ZipMap" &&
      graph.node(producer).domain() == "ai.onnx.ml" && graph.node(producer).input_size() == 1) {
    const ::onnx::NodeProto& node = graph.node(producer);
    scores.zip_map = producer;
    scores.tensor = node.input(0);
    const std::size_t labels = label_count(node);
    scores.shape = {-1, labels == 0 ? -1 : static_cast<std::int64_t>(labels)};
    return scores;
  }
  const auto precision = precision_of(value.type().tensor_type().elem_type());
  if (!value.type().has_tensor_type() || !precision) return std::nullopt;
  scores.precision = *precision;
  scores.shape = shape_of(value.type().tensor_type());
  return scores;
}

int index_named(const ::onnx::GraphProto& graph, const std::string& name,
                const std::string& origin) {
  for (int i = 0; i < graph.output_size(); ++i) {
    if (graph.output(i).name() == name) return i;
  }
  throw Error(ErrorCode::usage, fmt::format("{} has no output '{}'", origin, name),
              "its outputs are " + all_outputs(graph));
}

/// Axes whose size the network leaves open, without the first, which is the batch.
std::vector<std::size_t> open_axes(const std::vector<std::int64_t>& shape) {
  std::vector<std::size_t> axes;
  for (std::size_t axis = 1; axis < shape.size(); ++axis) {
    if (shape[axis] < 0) axes.push_back(axis);
  }
  return axes;
}

/// The axis that the network's shape or the user names.
std::size_t class_axis(const ScoresOutput& scores, std::size_t classes,
                       const AppendOptions& options, const ::onnx::ValueInfoProto& value,
                       const std::string& origin) {
  const std::vector<std::int64_t>& shape = scores.shape;
  if (options.class_axis) {
    const auto axis = static_cast<std::size_t>(*options.class_axis);
    if (axis < shape.size() &&
        (shape[axis] < 0 || shape[axis] == static_cast<std::int64_t>(classes))) {
      return axis;
    }
    throw Error(ErrorCode::usage,
                fmt::format("{}: axis {} of {} cannot be that of {} classes", origin, axis,
                            in_words(value), classes),
                "axes count from 0; the first is the batch");
  }
  // An axis of another size never holds the classes, wherever it stands.
  std::vector<std::size_t> axes = class_axes(shape, classes);
  const bool said = !axes.empty();
  if (!said) axes = open_axes(shape);
  if (axes.size() == 1) return axes.front();
  if (axes.empty()) {
    throw Error(ErrorCode::model,
                fmt::format("{}: {} has no axis of {} classes", origin, in_words(value), classes),
                shape.size() < 2
                    ? "scores are rows of classes: the first axis is the batch"
                    : "the calibrator belongs to another network, or to another output of it");
  }
  throw Error(
      ErrorCode::usage,
      said ? fmt::format("{}: several axes of {} have {} entries", origin, in_words(value), classes)
           : fmt::format("{}: several axes of {} could be that of {} classes", origin,
                         in_words(value), classes),
      "say which is that of the classes with ‹class_axis=N›");
}

void choose_axis(ScoresOutput& scores, std::size_t classes, const AppendOptions& options,
                 const ::onnx::ValueInfoProto& value, const std::string& origin) {
  const bool unknown = scores.shape.empty();
  if (unknown) scores.shape = {-1, -1};
  scores.class_axis = class_axis(scores, classes, options, value, origin);
  if (scores.shape[scores.class_axis] >= 0) return;
  scores.notes.push_back(
      unknown ? fmt::format("the network does not say what shape '{}' has; two axes, rows and {} "
                            "classes, are assumed",
                            value.name(), classes)
              : fmt::format(
                    "the network does not say how many classes '{}' has; {} on axis {} are assumed",
                    value.name(), classes, scores.class_axis));
}

}  // namespace

ScoresOutput find_scores(const ::onnx::GraphProto& graph, const Producers& producers,
                         std::size_t classes, const AppendOptions& options,
                         const std::string& origin) {
  std::optional<ScoresOutput> found;
  if (!options.output_name.empty()) {
    const int index = index_named(graph, options.output_name, origin);
    found = scores_at(graph, index, producers);
    if (!found) {
      throw Error(ErrorCode::model,
                  fmt::format("{}: {} holds no scores: they are tensors of float16, float32 or "
                              "float64",
                              origin, in_words(graph.output(index))),
                  "name another output; all are " + all_outputs(graph));
    }
  } else {
    for (int i = 0; i < graph.output_size(); ++i) {
      auto scores = scores_at(graph, i, producers);
      if (!scores || class_axes(scores->shape, classes).empty()) continue;
      if (found && graph.output(found->output).name() == graph.output(i).name()) continue;
      if (found) {
        throw Error(
            ErrorCode::usage,
            fmt::format("{}: several outputs have {} classes: '{}' and '{}'", origin, classes,
                        graph.output(found->output).name(), graph.output(i).name()),
            "say which holds the scores with ‹output_name=NAME›");
      }
      found = std::move(scores);
    }
    if (!found) {
      throw Error(ErrorCode::model,
                  fmt::format("{}: no output has an axis of {} classes; the outputs are {}", origin,
                              classes, all_outputs(graph)),
                  "if one of them holds the scores all the same, name it with ‹output_name›");
    }
  }
  choose_axis(*found, classes, options, graph.output(found->output), origin);
  return *found;
}

}  // namespace credence::exporter
