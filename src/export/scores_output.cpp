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

void choose_axis(ScoresOutput& scores, std::size_t classes, const AppendOptions& options,
                 const ::onnx::ValueInfoProto& value, const std::string& origin) {
  const std::vector<std::size_t> axes = class_axes(scores.shape, classes);
  const auto rank = scores.shape.size();
  if (options.class_axis) {
    scores.class_axis = static_cast<std::size_t>(*options.class_axis);
    const bool fits =
        scores.class_axis < rank && (scores.shape[scores.class_axis] < 0 ||
                                     std::ranges::find(axes, scores.class_axis) != axes.end());
    if (!fits) {
      throw Error(ErrorCode::usage,
                  fmt::format("{}: axis {} of {} cannot be that of {} classes", origin,
                              scores.class_axis, in_words(value), classes),
                  "axes count from 0; the first is the batch");
    }
  } else if (axes.size() == 1) {
    scores.class_axis = axes.front();
    return;
  } else if (axes.size() > 1) {
    throw Error(
        ErrorCode::usage,
        fmt::format("{}: several axes of {} have {} entries", origin, in_words(value), classes),
        "say which is that of the classes with --class-axis N");
  } else {
    const bool open =
        rank == 0 || (rank >= 2 && std::any_of(scores.shape.begin() + 1, scores.shape.end(),
                                               [](std::int64_t size) { return size < 0; }));
    if (!open) {
      throw Error(ErrorCode::model,
                  fmt::format("{}: {} has no axis of {} classes", origin, in_words(value), classes),
                  "the calibrator belongs to another network, or to another output of it");
    }
    if (rank == 0) scores.shape = {-1, -1};
    scores.class_axis = scores.shape.size() - 1;
  }
  if (scores.shape[scores.class_axis] < 0) {
    scores.notes.push_back(
        fmt::format("the network does not say how many classes '{}' has; {} on axis {} are assumed",
                    value.name(), classes, scores.class_axis));
  }
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
      if (found) {
        throw Error(
            ErrorCode::usage,
            fmt::format("{}: several outputs have {} classes: '{}' and '{}'", origin, classes,
                        graph.output(found->output).name(), graph.output(i).name()),
            "say which holds the scores with --output-name NAME");
      }
      found = std::move(scores);
    }
    if (!found) {
      throw Error(ErrorCode::model,
                  fmt::format("{}: no output has an axis of {} classes; the outputs are {}", origin,
                              classes, all_outputs(graph)),
                  "if one of them holds the scores all the same, name it with --output-name");
    }
  }
  choose_axis(*found, classes, options, graph.output(found->output), origin);
  return *found;
}

}  // namespace credence::exporter
