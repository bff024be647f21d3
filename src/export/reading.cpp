// What the numbers at a network's output are: seen from how it ends, said by the user, or recorded
// in the calibrator. Where these contradict each other, the user decides.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "credence/error.hpp"
#include "export/network.hpp"

namespace credence::exporter {
namespace {

/// What the last operation that matters gives.
enum class Ending { unknown, logits, probs, log_probs, independent };

struct End {
  Ending ending = Ending::unknown;
  std::string op = "an input";
  int softmax = -1;         ///< node of a final Softmax or LogSoftmax
  bool is_last = false;     ///< nothing stands between that node and the output
  bool keeps_axes = false;  ///< nothing moves axes between that node and the output
};

template <std::size_t N>
bool is_one_of(const std::string& name, const std::array<std::string_view, N>& names) {
  return std::ranges::find(names, name) != names.end();
}

// Operations that change the shape or the type of numbers, or bound them, but not what they mean.
constexpr std::array<std::string_view, 9> kTransparent{"Identity", "Cast",    "Transpose",
                                                       "Reshape",  "Squeeze", "Unsqueeze",
                                                       "Flatten",  "Dropout", "Clip"};
constexpr std::array<std::string_view, 4> kKeepAxes{"Identity", "Cast", "Dropout", "Clip"};
// Sums of products are logits: nothing makes them positive or sum to 1.
constexpr std::array<std::string_view, 5> kLinear{"Gemm", "MatMul", "Conv", "Add", "Sub"};
constexpr std::array<std::string_view, 4> kClassifiers{"Normalizer", "TreeEnsembleClassifier",
                                                       "SVMClassifier", "LinearClassifier"};

Ending ending_of(const ::onnx::NodeProto& node) {
  const std::string& op = node.op_type();
  if (node.domain() == "ai.onnx.ml" && is_one_of(op, kClassifiers)) {
    const auto* transform = find_attribute(node, "post_transform");
    const bool plain = transform == nullptr || transform->s().empty() || transform->s() == "NONE";
    return op == "LinearClassifier" && plain ? Ending::unknown : Ending::probs;
  }
  if (!is_default_domain(node.domain())) return Ending::unknown;
  if (op == "Softmax") return Ending::probs;
  if (op == "LogSoftmax") return Ending::log_probs;
  if (op == "Sigmoid") return Ending::independent;
  return is_one_of(op, kLinear) ? Ending::logits : Ending::unknown;
}

/// What the logarithm of something is.
Ending logarithm_of(Ending inner) {
  return inner == Ending::probs         ? Ending::log_probs
         : inner == Ending::independent ? Ending::independent
                                        : Ending::unknown;
}

End find_end(const ::onnx::GraphProto& graph, const Producers& producers, std::string tensor) {
  End end;
  bool keeps_axes = true, is_logarithm = false;
  // A chain cannot be longer than the graph; one that is has a cycle, and ends unknown.
  for (int step = 0; step < graph.node_size(); ++step) {
    const int index = producers.of(tensor);
    if (index < 0) return end;
    const ::onnx::NodeProto& node = graph.node(index);
    const std::string& op = node.op_type();
    if (step == 0 || !is_logarithm) end.op = op;
    const bool is_default = is_default_domain(node.domain());
    if (is_default && op == "Log" && !is_logarithm && node.input_size() == 1) {
      is_logarithm = true;
      tensor = node.input(0);
      continue;
    }
    end.ending = is_logarithm ? logarithm_of(ending_of(node)) : ending_of(node);
    if (is_default && (op == "Softmax" || op == "LogSoftmax")) {
      end.softmax = node.input_size() == 1 ? index : -1;
      end.is_last = step == 0;
      end.keeps_axes = keeps_axes;
    }
    if (!is_default || !is_one_of(op, kTransparent) || node.input_size() == 0) return end;
    keeps_axes = keeps_axes && is_one_of(op, kKeepAxes);
    tensor = node.input(0);
  }
  return {};
}

/// A final softmax has to run over the classes; before opset 13 it ran over all axes from its own.
void check_softmax_axis(const ::onnx::NodeProto& node, int opset, const ScoresOutput& scores,
                        const std::string& origin) {
  const auto rank = static_cast<std::int64_t>(scores.shape.size());
  const auto* attribute = find_attribute(node, "axis");
  std::int64_t axis = attribute != nullptr ? attribute->i() : opset < 13 ? 1 : -1;
  if (axis < 0) axis += rank;
  const auto classes = static_cast<std::int64_t>(scores.class_axis);
  bool over_classes = axis == classes;
  if (opset < 13) {
    for (std::int64_t later = classes + 1; later < rank; ++later) {
      over_classes = over_classes && scores.shape[static_cast<std::size_t>(later)] == 1;
    }
  }
  if (over_classes) return;
  throw Error(
      ErrorCode::model,
      fmt::format("{}: the network ends in {} over axis {}{}, the classes are on axis {}", origin,
                  node.op_type(), axis, opset < 13 ? " and all behind it" : "", classes),
      "say where the classes are with ‹class_axis=N›, or export the network's logits");
}

[[noreturn]] void refuse(const std::string& origin, const AppendOptions& options, const End& end,
                         std::string_view gives, std::string_view way_out) {
  throw Error(ErrorCode::model,
              fmt::format("{} ends in {}, which gives {}; the calibrator was fitted to {}", origin,
                          end.op, gives, options.recorded_kind),
              std::string(way_out));
}

std::optional<ScoreKind> recorded(const AppendOptions& options) {
  for (const ScoreKind kind : {ScoreKind::logits, ScoreKind::log_probs, ScoreKind::probs}) {
    if (options.recorded_kind == to_string(kind)) return kind;
  }
  return std::nullopt;
}

/// The network gives probabilities.
Reading read_probabilities(const End& end, std::optional<ScoreKind> fitted, Gauge gauge,
                           const AppendOptions& options, const std::string& origin) {
  Reading reading{.kind = ScoreKind::probs, .tapped = -1, .is_assumed = false, .notes = {}};
  if (fitted != ScoreKind::logits) return reading;
  if (end.is_last && end.softmax >= 0) {
    reading.kind = ScoreKind::logits;
    reading.tapped = end.softmax;
    return reading;
  }
  if (gauge == Gauge::raw) {
    refuse(origin, options, end, "probabilities",
           "the raw gauge needs the logits: export the network with them, or fit without "
           "‹gauge=raw›");
  }
  if (end.softmax < 0) {
    refuse(origin, options, end, "probabilities",
           "if they are the softmax of those logits, say ‹input_kind=probs›");
  }
  return reading;
}

Reading from_the_end(const End& end, std::optional<ScoreKind> fitted, Gauge gauge,
                     const AppendOptions& options, const std::string& origin) {
  switch (end.ending) {
    case Ending::probs:
      return read_probabilities(end, fitted, gauge, options, origin);
    case Ending::log_probs:
      if (gauge != Gauge::raw || fitted != ScoreKind::logits) {
        return {.kind = ScoreKind::log_probs, .tapped = -1, .is_assumed = false, .notes = {}};
      }
      if (!end.is_last || end.softmax < 0) {
        refuse(origin, options, end, "log-probabilities", "export the network with its logits");
      }
      return {.kind = ScoreKind::logits, .tapped = end.softmax, .is_assumed = false, .notes = {}};
    case Ending::logits:
      if (fitted && fitted != ScoreKind::logits) {
        refuse(origin, options, end, "logits",
               gauge == Gauge::raw ? "export the network with its softmax"
                                   : "if the calibrator is that of this network, say "
                                     "‹input_kind=logits›: the softmax is then taken here");
      }
      return {};
    case Ending::independent:
      refuse(origin, options, end, "one probability per class that do not sum to 1",
             "calibrate a network whose classes exclude each other");
    case Ending::unknown:
      break;
  }
  if (!fitted) {
    throw Error(ErrorCode::model,
                fmt::format("{} ends in {}, and neither it nor the calibrator says what that gives",
                            origin, end.op),
                "say it with ‹input_kind=logits|log-probs|probs›");
  }
  return {.kind = *fitted,
          .tapped = -1,
          .is_assumed = true,
          .notes = {fmt::format("what {} gives is taken for {}, to which the calibrator was fitted "
                                "(say ‹input_kind› if it is not)",
                                end.op, to_string(*fitted))}};
}

Reading from_the_user(const End& end, ScoreKind said, Gauge gauge, const AppendOptions& options,
                      const std::string& origin) {
  Reading reading{.kind = said, .tapped = -1, .is_assumed = false, .notes = {}};
  const bool can_tap = end.is_last && end.softmax >= 0;
  if (said == ScoreKind::logits && end.ending == Ending::probs) {
    if (!can_tap) {
      throw Error(
          ErrorCode::model,
          fmt::format("{} ends in {}, which gives probabilities, not logits", origin, end.op),
          "say ‹input_kind=probs›, or leave it out");
    }
    reading.tapped = end.softmax;
  }
  if (said == ScoreKind::logits && end.ending == Ending::log_probs && can_tap) {
    reading.tapped = end.softmax;
  }
  const bool wrong = (said == ScoreKind::log_probs && end.ending == Ending::probs) ||
                     (said == ScoreKind::probs && end.ending == Ending::log_probs);
  if (wrong) {
    throw Error(
        ErrorCode::model,
        fmt::format("{} ends in {}, which does not give {}", origin, end.op, to_string(said)),
        "leave out ‹input_kind›");
  }
  const bool fitted_to_logits = options.recorded_kind == to_string(ScoreKind::logits);
  if (gauge == Gauge::raw && !options.recorded_kind.empty() &&
      fitted_to_logits != (said == ScoreKind::logits)) {
    refuse(origin, options, end, to_string(said), "fit again without ‹gauge=raw›");
  }
  return reading;
}

}  // namespace

Reading decide_reading(const ::onnx::ModelProto& model, const Producers& producers,
                       const ScoresOutput& scores, Gauge gauge, const AppendOptions& options,
                       const std::string& origin) {
  const ::onnx::GraphProto& graph = model.graph();
  const End end = find_end(graph, producers, scores.tensor);
  if (end.keeps_axes && end.softmax >= 0) {
    check_softmax_axis(graph.node(end.softmax), opset_of(model), scores, origin);
  }
  Reading reading = options.input ? from_the_user(end, *options.input, gauge, options, origin)
                                  : from_the_end(end, recorded(options), gauge, options, origin);
  if (reading.tapped >= 0) {
    reading.notes.push_back(
        fmt::format("the network ends in {}; the calibrator reads the logits before it", end.op));
  } else if (end.ending == Ending::probs && reading.kind == ScoreKind::probs) {
    reading.notes.push_back(fmt::format(
        "the network ends in {}; the calibrator reads the logarithm of its probabilities", end.op));
  }
  return reading;
}

}  // namespace credence::exporter
