// A calibrator at the end of somebody's network.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "credence/error.hpp"
#include "credence/io.hpp"
#include "export/lowering.hpp"
#include "export/model_io.hpp"
#include "export/network.hpp"

namespace credence::exporter {
namespace {

void check_network(::onnx::ModelProto& model, const std::string& origin,
                   std::vector<std::string>& notes) {
  for (const auto& property : model.metadata_props()) {
    if (property.key() != "credence.method") continue;
    throw Error(ErrorCode::model,
                fmt::format("{} is calibrated already (method {})", origin, property.value()),
                "append to the network as it was before");
  }
  const int opset = opset_of(model);
  if (opset == 0) {
    // Only operators of other domains: importing the default ones changes nothing for them.
    ::onnx::OperatorSetIdProto& added = *model.add_opset_import();
    added.set_domain("");
    added.set_version(13);
    return;
  }
  if (opset < kLeastOpset) {
    throw Error(
        ErrorCode::model,
        fmt::format("{} uses opset {}; a calibrator needs {} or newer", origin, opset, kLeastOpset),
        "export the network again, or convert it with onnx.version_converter");
  }
  if (opset > kMostOpset) {
    notes.push_back(fmt::format("the network uses opset {}; what is added was tried up to {}",
                                opset, kMostOpset));
  }
}

std::string few_of(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 5;
  const auto end = names.begin() + static_cast<std::ptrdiff_t>(std::min(kMost, names.size()));
  return fmt::format("{}{}", fmt::join(names.begin(), end, ", "),
                     names.size() > kMost ? ", ..." : "");
}

/// Where class k of the calibrator stands among the network's columns; empty: in the same place.
std::vector<std::size_t> match_classes(const Calibrator& calibrator,
                                       const std::vector<std::string>& labels,
                                       const std::string& origin, std::vector<std::string>& notes) {
  if (labels.empty() || calibrator.classes.empty()) return {};
  std::vector<std::size_t> column_of = io::positions_by_name(calibrator.classes, labels);
  if (column_of.empty()) {
    if (io::are_numbered(labels) || io::are_numbered(calibrator.classes)) {
      notes.push_back(
          fmt::format("classes are {} in the network and {} in the calibrator; their order is "
                      "taken to be the same",
                      few_of(labels), few_of(calibrator.classes)));
      return {};
    }
    throw Error(ErrorCode::model,
                fmt::format("the classes have different names: {} in {}, {} in the calibrator",
                            fmt::join(labels, ", "), origin, fmt::join(calibrator.classes, ", ")),
                "the calibrator belongs to another network");
  }
  if (std::ranges::is_sorted(column_of)) column_of.clear();
  notes.push_back(column_of.empty() ? "classes have the same names in the same order"
                                    : "classes stand in another order in the network and were "
                                      "matched by name");
  return column_of;
}

/// Brings the classes to the last axis and into the calibrator's order, and back.
class Layout {
 public:
  Layout(GraphBuilder& graph, std::size_t rank, std::size_t class_axis,
         const std::vector<std::size_t>& column_of)
      : graph_(graph) {
    if (class_axis + 1 != rank) {
      there_.resize(rank);
      std::iota(there_.begin(), there_.end(), 0);
      there_.erase(there_.begin() + static_cast<std::ptrdiff_t>(class_axis));
      there_.push_back(static_cast<std::int64_t>(class_axis));
      back_ = inverse(there_);
    }
    order_.assign(column_of.begin(), column_of.end());
  }

  std::string enter(std::string x) const {
    if (!there_.empty()) x = graph_.transpose(x, there_);
    return order_.empty() ? x : gather(x, order_);
  }
  std::string leave(std::string x) const {
    if (!order_.empty()) x = gather(x, inverse(order_));
    return back_.empty() ? x : graph_.transpose(x, back_);
  }

 private:
  using Order = std::vector<std::int64_t>;
  static Order inverse(const Order& order) {
    Order result(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
      result[static_cast<std::size_t>(order[i])] = static_cast<std::int64_t>(i);
    }
    return result;
  }
  std::string gather(const std::string& x, const Order& order) const {
    const auto count = static_cast<std::int64_t>(order.size());
    return graph_.node("Gather", {x, graph_.integers("class_order", order, {count})},
                       {{"axis", -1}});
  }

  GraphBuilder& graph_;
  Order there_, back_, order_;
};

void describe(::onnx::GraphProto& graph, const std::string& name, ::onnx::ValueInfoProto like) {
  for (const auto& value : graph.value_info()) {
    if (value.name() == name) return;
  }
  like.set_name(name);
  *graph.add_value_info() = std::move(like);
}

/// The scores as a tensor of rows and classes, for what has no description of its own.
::onnx::ValueInfoProto description(const ScoresOutput& scores, std::size_t classes) {
  ::onnx::ValueInfoProto value;
  set_tensor_type(value, static_cast<int>(type_of(scores.precision)),
                  {{"batch"}, {{}, static_cast<std::int64_t>(classes)}});
  return value;
}

class Appending {
 public:
  Appending(::onnx::ModelProto& model, const ScoresOutput& scores, const Reading& reading,
            const AppendOptions& options)
      : graph_(*model.mutable_graph()),
        scores_(scores),
        reading_(reading),
        replaces_(options.mode == AppendMode::replace),
        result_(options.result),
        names_(graph_),
        constant_nodes_(model.ir_version() < 4) {}

  void run(const Calibrator& calibrator, Type arithmetic, const std::vector<std::size_t>& column_of,
           AppendedModel& out) {
    const std::string output = graph_.output(scores_.output).name();
    const ::onnx::ValueInfoProto like = scores_.zip_map < 0
                                            ? graph_.output(scores_.output)
                                            : description(scores_, calibrator.class_count);
    out.scores = free_the_output(output, like);
    const int first = graph_.node_size();
    GraphBuilder builder(graph_, names_, arithmetic, constant_nodes_);
    const Layout layout(builder, scores_.shape.size(), scores_.class_axis, column_of);
    layout.leave(lower(calibrator, builder, layout.enter(out.scores), reading_.kind,
                       scores_.precision, result_));
    out.output = finish(output, like, first);
    describe(graph_, out.scores, like);
  }

 private:
  /// Makes sure that the output's name can be given to the result, and returns the tensor to read.
  std::string free_the_output(const std::string& output, const ::onnx::ValueInfoProto& like) {
    const bool taps = reading_.tapped >= 0;
    std::string read = taps ? graph_.node(reading_.tapped).input(0) : scores_.tensor;
    if (!replaces_ || scores_.zip_map >= 0) return read;
    if (taps && !is_used(graph_, output)) {
      graph_.mutable_node()->DeleteSubrange(reading_.tapped, 1);
      return read;
    }
    const std::string renamed = names_.unique(output + "_uncalibrated");
    rename_tensor(graph_, output, renamed);
    graph_.mutable_output(scores_.output)->set_name(output);
    describe(graph_, renamed, like);
    return taps ? read : renamed;
  }

  /// Gives the last node's result its name and its place.
  std::string finish(const std::string& output, const ::onnx::ValueInfoProto& like, int first) {
    std::string* result = graph_.mutable_node(graph_.node_size() - 1)->mutable_output(0);
    if (replaces_ && scores_.zip_map < 0) return *result = output;
    *result = names_.unique(result_ == Result::probs ? "calibrated_probabilities"
                                                     : "calibrated_log_probabilities");
    std::string name = *result;
    if (!replaces_) {
      ::onnx::ValueInfoProto& added = *graph_.add_output();
      added = like;
      added.set_name(name);
      return name;
    }
    // The dictionaries are made of the calibrated numbers, after these exist.
    graph_.mutable_node(scores_.zip_map)->set_input(0, name);
    describe(graph_, name, like);
    auto nodes = graph_.mutable_node()->pointer_begin();
    std::rotate(nodes + scores_.zip_map, nodes + first, graph_.mutable_node()->pointer_end());
    return name;
  }

  ::onnx::GraphProto& graph_;
  const ScoresOutput& scores_;
  const Reading& reading_;
  bool replaces_;
  Result result_;
  Names names_;
  bool constant_nodes_;
};

void check_replaceable(const ::onnx::GraphProto& graph, const Producers& producers,
                       const ScoresOutput& scores, const AppendOptions& options,
                       const std::string& origin) {
  const std::string& name = graph.output(scores.output).name();
  if (options.mode == AppendMode::replace && producers.of(name) < 0) {
    throw Error(
        ErrorCode::model,
        fmt::format("{}: the output '{}' is an input or a constant handed through", origin, name),
        "‹mode=add› gives the calibrated probabilities as another output");
  }
  if (scores.zip_map >= 0 && options.result == Result::log_probs &&
      options.mode == AppendMode::replace) {
    throw Error(
        ErrorCode::usage,
        fmt::format("'{}' gives dictionaries of probabilities, not of their logarithms", name),
        "leave out ‹result›, or use ‹mode=add›");
  }
}

std::string what_changed(const ::onnx::GraphProto& graph, const ScoresOutput& scores,
                         const Reading& reading, const AppendOptions& options) {
  const std::string& name = graph.output(scores.output).name();
  if (options.mode == AppendMode::add) return {};
  std::string note;
  const bool gave_probabilities = reading.kind == ScoreKind::probs || reading.tapped >= 0;
  if (!gave_probabilities && options.result == Result::probs) {
    note = fmt::format(
        "'{}' {} {} and now gives probabilities: code that applies a softmax to it "
        "must stop, or use ‹result=log-probs›",
        name, reading.is_assumed ? "is taken to have given" : "gave",
        reading.kind == ScoreKind::logits ? "logits" : "log-probabilities");
  } else if (gave_probabilities && options.result == Result::log_probs) {
    note = fmt::format("'{}' gave probabilities and now gives their logarithms", name);
  }
  return note;
}

}  // namespace

AppendedModel append_to_model(const Calibrator& calibrator, std::string_view network,
                              const std::string& origin, const AppendOptions& options) {
  if (calibrator.all_stages().empty()) throw Error(ErrorCode::model, "the calibrator has no stage");
  ::onnx::ModelProto model = parse_model(network, origin);
  AppendedModel out;
  check_network(model, origin, out.notes);
  out.opset = opset_of(model);
  out.external_data = external_data(model, origin);

  const ::onnx::GraphProto& graph = model.graph();
  const Producers producers(graph);
  const ScoresOutput scores =
      find_scores(graph, producers, calibrator.class_count, options, origin);
  check_replaceable(graph, producers, scores, options, origin);
  const Reading reading =
      decide_reading(model, producers, scores, calibrator.gauge, options, origin);
  out.notes.insert(out.notes.end(), scores.notes.begin(), scores.notes.end());
  out.notes.insert(out.notes.end(), reading.notes.begin(), reading.notes.end());
  const std::vector<std::string> labels =
      class_labels(model, scores, calibrator.class_count, origin, out.notes);
  out.column_of = match_classes(calibrator, labels, origin, out.notes);
  if (std::string note = what_changed(graph, scores, reading, options); !note.empty()) {
    out.notes.push_back(std::move(note));
  }
  out.input = reading.kind;
  out.precision = scores.precision;
  out.shape = scores.shape;
  out.class_axis = scores.class_axis;
  const Type arithmetic = choose_arithmetic(calibrator, options.arithmetic, scores.precision);
  out.computes_in_float64 = arithmetic == Type::float64;
  Appending(model, scores, reading, options).run(calibrator, arithmetic, out.column_of, out);
  set_properties(model, options.properties);
  out.bytes = serialise(model);
  return out;
}

}  // namespace credence::exporter
