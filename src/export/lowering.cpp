#include "export/lowering.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <variant>

#include "map/all_maps.hpp"

namespace credence::exporter {
namespace {

/// What a probability of 0 stands for, as in score files.
constexpr double kLeast = std::numeric_limits<float>::min();

std::string log_softmax(GraphBuilder& graph, const std::string& x) {
  return graph.node("LogSoftmax", {x}, {{"axis", -1}});
}

/// x where it is finite, `raised` where it is -inf.
std::string raise(GraphBuilder& graph, const std::string& x, const std::string& raised) {
  return graph.node("Where", {graph.node("IsInf", {x}, {{"detect_positive", 0}}), raised, x});
}

std::string read_logits(GraphBuilder& graph, const std::string& x, Gauge gauge) {
  const std::string u = log_softmax(graph, x);
  const std::string least = graph.scalar("log_least", std::log(kLeast));
  if (gauge == Gauge::log_probs) return raise(graph, u, least);
  // log-sum-exp = max x - max log_softmax(x): -inf is raised on the scale of the row's own logits.
  const std::string shift = graph.node("Sub", {graph.top(x, 1).values, graph.top(u, 1).values});
  return raise(graph, x, graph.node("Add", {shift, least}));
}

std::string read_probabilities(GraphBuilder& graph, const std::string& x, Gauge gauge,
                               Precision precision) {
  const std::string impossible = graph.node("Equal", {x, graph.scalar("zero", 0.0)});
  const std::string possible = graph.node("Where", {impossible, graph.scalar("least", kLeast), x});
  std::string u = graph.node("Log", {possible});
  if (graph.arithmetic() == Type::float64 && precision != Precision::float64) {
    // The engine keeps scores in float32. A step map would otherwise take another step where that
    // rounding decides.
    u = graph.cast(graph.cast(u, Type::float32), Type::float64);
  }
  return gauge == Gauge::raw ? u : log_softmax(graph, u);
}

std::string log_probabilities(GraphBuilder& graph, const map::Lowered& stage) {
  if (!stage.are_probabilities) return log_softmax(graph, stage.tensor);
  return graph.node("Log", {graph.node("Max", {stage.tensor, graph.scalar("least", kLeast)})});
}

std::string probabilities(GraphBuilder& graph, const map::Lowered& stage) {
  if (stage.are_probabilities) return stage.tensor;
  return graph.node("Softmax", {stage.tensor}, {{"axis", -1}});
}

/// A temperature does not see a shift of its logits, and log-probabilities keep the small
/// differences of large ones.
Gauge gauge_read(std::span<const Stage> stages, Gauge gauge) {
  const bool sees_shift = !map::ignores_shift(stages.front().map, Gauge::raw);
  return sees_shift ? gauge : Gauge::log_probs;
}

/// Rounding a log-probability u to float32 moves it by |u| 2^-24, times b by b |u| 2^-24. Only
/// classes near the top matter, whose |u| is below log K or little more: up to this bound on
/// b log K a probability moves by less than 5e-7.
constexpr double kMostScaledLog = 16.0;

map::Lowered lower_stages(std::span<const Stage> stages, std::size_t classes, GraphBuilder& graph,
                          std::string u) {
  map::Lowered last;
  for (std::size_t i = 0; i < stages.size(); ++i) {
    if (i > 0) u = log_probabilities(graph, last);
    last = std::visit(
        [&]<class M>(const M& map) {
          return map::About<M>::lower(map, stages[i].theta, classes, graph, u);
        },
        stages[i].map);
  }
  return last;
}

bool is_safe_in_float32(const Calibrator& calibrator) {
  if (calibrator.is_pool() || calibrator.stages.size() != 1) return false;
  const Stage& stage = calibrator.stages.front();
  const std::optional<double> scale = map::uniform_scale(stage);
  // A factor of exactly 1 rounds nothing.
  return scale &&
         (*scale == 1.0 ||
          *scale * std::log(static_cast<double>(calibrator.class_count)) <= kMostScaledLog);
}

}  // namespace

Type type_of(Precision precision) {
  switch (precision) {
    case Precision::float16:
      return Type::float16;
    case Precision::float64:
      return Type::float64;
    case Precision::float32:
      break;
  }
  return Type::float32;
}

Type choose_arithmetic(const Calibrator& calibrator, Arithmetic wanted, Precision precision) {
  if (wanted != Arithmetic::automatic) {
    return wanted == Arithmetic::float64 ? Type::float64 : Type::float32;
  }
  if (precision == Precision::float64) return Type::float64;
  bool steps = false;
  for (const Stage* stage : calibrator.all_stages()) steps = steps || map::has_steps(stage->map);
  if (steps) return Type::float64;
  // A float16 result is a thousand times coarser than float32 arithmetic.
  if (precision == Precision::float16) return Type::float32;
  return is_safe_in_float32(calibrator) ? Type::float32 : Type::float64;
}

std::string lower(const Calibrator& calibrator, GraphBuilder& graph, const std::string& scores,
                  ScoreKind kind, Precision precision, Result result) {
  const bool same_type = type_of(precision) == graph.arithmetic();
  const std::string x = same_type ? scores : graph.cast(scores, graph.arithmetic());
  std::array<std::string, 2> read;  // by gauge: the members of a pool share what they read
  const auto inputs = [&](Gauge gauge) {
    std::string& u = read[gauge == Gauge::raw ? 1 : 0];
    if (u.empty()) {
      u = kind == ScoreKind::probs ? read_probabilities(graph, x, gauge, precision)
                                   : read_logits(graph, x, gauge);
    }
    return u;
  };
  map::Lowered last;
  for (const WeightedStages& part : calibrator.parts()) {
    const std::string u = inputs(gauge_read(part.stages, calibrator.gauge));
    const map::Lowered own = lower_stages(part.stages, calibrator.class_count, graph, u);
    if (!calibrator.is_pool()) {
      last = own;
      break;
    }
    const std::string weighted =
        graph.node("Mul", {probabilities(graph, own), graph.scalar("member_weight", part.weight)});
    last = {last.tensor.empty() ? weighted : graph.node("Add", {last.tensor, weighted}), true};
  }
  const std::string out =
      result == Result::probs ? probabilities(graph, last) : log_probabilities(graph, last);
  return same_type ? out : graph.cast(out, type_of(precision));
}

}  // namespace credence::exporter
