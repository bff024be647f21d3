#include "io/calibrator/calibrator_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <limits>
#include <set>
#include <span>

#include "credence/error.hpp"
#include "credence/io.hpp"
#include "credence/methods.hpp"
#include "credence/text.hpp"
#include "io/bytes/input_guard.hpp"
#include "io/bytes/text_lines.hpp"
#include "io/calibrator/row_sketch_json.hpp"
#include "io/calibrator/selection_json.hpp"
#include "map/about.hpp"
#include "map/reach.hpp"
#include "target/about.hpp"

namespace credence::io {
namespace {

constexpr std::uint64_t kMaxInt = std::numeric_limits<int>::max();
constexpr std::uint64_t kMaxClasses = std::numeric_limits<std::uint32_t>::max();
/// The most rows or stages a file may claim: exact in every JSON reader.
constexpr std::uint64_t kMaxCount = std::uint64_t{1} << 53;

/// A named alternative, for enums and variants alike.
template <class T>
struct Choice {
  std::string_view name;
  T value;
};

template <class T, std::size_t N>
T choose(const JsonNode& node, const std::array<Choice<T>, N>& choices) {
  const std::string name = node.string();
  std::vector<std::string_view> known;
  for (const auto& choice : choices) {
    if (choice.name == name) return choice.value;
    known.push_back(choice.name);
  }
  node.fail(fmt::format("unknown name '{}'{}", name, did_you_mean(name, known)),
            fmt::format("known: {}", fmt::join(known, ", ")));
}

template <class T, std::size_t N>
std::string_view name_of(T value, const std::array<Choice<T>, N>& choices) {
  const auto found = std::find_if(choices.begin(), choices.end(),
                                  [&](const auto& choice) { return choice.value == value; });
  assert(found != choices.end());
  return found->name;
}

constexpr std::array kGauges{Choice<Gauge>{"log_probs", Gauge::log_probs},
                             Choice<Gauge>{"raw", Gauge::raw}};

Stop stop_from_json(const JsonNode& node) {
  std::array<Choice<Stop>, kStops.size()> choices;
  for (std::size_t i = 0; i < kStops.size(); ++i) choices[i] = {to_string(kStops[i]), kStops[i]};
  return choose(node, choices);
}

double within(const JsonNode& node, double low, double high) {
  const double value = node.number();
  if (!(value >= low && value <= high)) {
    node.fail(fmt::format("{} is outside [{}, {}]", json_number(value), low, high));
  }
  return value;
}

constexpr double kAnyWeight = core::kAnyNumber;

Json spec_to_json(std::string_view name, const std::vector<core::Setting>& settings) {
  Json out{{"name", name}};
  for (const core::Setting& setting : settings) {
    if (setting.is_late && setting.value == 0.0) continue;
    out[std::string(setting.name)] =
        setting.is_whole ? Json(static_cast<std::int64_t>(setting.value)) : Json(setting.value);
  }
  return out;
}

/// The values that a file gives to the settings of a target or a map.
std::vector<double> settings_from_json(const JsonNode& node,
                                       const std::vector<core::Setting>& settings) {
  std::vector<std::string_view> keys{"name"}, late;
  for (const core::Setting& setting : settings) {
    (setting.is_late ? late : keys).push_back(setting.name);
  }
  node.keys(keys, late);
  std::vector<double> values;
  for (const core::Setting& setting : settings) {
    if (setting.is_late && !node.has(setting.name)) {
      values.push_back(0.0);
      continue;
    }
    const JsonNode value = node[setting.name];
    values.push_back(setting.is_whole ? static_cast<double>(
                                            value.integer(static_cast<std::uint64_t>(setting.least),
                                                          static_cast<std::uint64_t>(setting.most)))
                                      : within(value, setting.least, setting.most));
  }
  return values;
}

Json target_to_json(const TargetSpec& target) {
  return spec_to_json(target_name(target), target::settings_of(target));
}

TargetSpec target_from_json(const JsonNode& node) {
  std::array<Choice<TargetSpec>, kTargets.size() + 1> choices;
  choices[0] = {target_name(NoTarget{}), NoTarget{}};
  for (std::size_t i = 0; i < kTargets.size(); ++i) {
    choices[i + 1] = {target_name(kTargets[i]), kTargets[i]};
  }
  TargetSpec target = choose(node["name"], choices);
  target::set_settings(target, settings_from_json(node, target::settings_of(target)));
  return target;
}

Json map_to_json(const MapSpec& map) { return spec_to_json(map_name(map), map::settings_of(map)); }

MapSpec map_from_json(const JsonNode& node) {
  std::array<Choice<MapSpec>, kMaps.size()> choices;
  for (std::size_t i = 0; i < kMaps.size(); ++i) choices[i] = {map_name(kMaps[i]), kMaps[i]};
  MapSpec map = choose(node["name"], choices);
  map::set_settings(map, settings_from_json(node, map::settings_of(map)));
  return map;
}

/// A loss can be infinite (probability 0 for a class somebody chose); JSON has only null for that.
double number_or_null(const JsonNode& node) {
  return node.is_null() ? std::numeric_limits<double>::infinity() : node.number();
}

/// The last line of defence: a fit that went wrong is not written as if it were one.
void check_stage(const Stage& stage) {
  const FitReport& report = stage.report;
  // Steps can give probability 0 to a class somebody chose.
  const bool loss_is_good =
      std::isfinite(report.loss) || (map::has_steps(stage.map) && report.loss > 0);
  if (loss_is_good && !std::isnan(report.gradient_norm)) return;
  throw Error(ErrorCode::model,
              fmt::format("calibrator: the fit of map '{}' ended with loss {} and gradient {}",
                          map_name(stage.map), report.loss, report.gradient_norm),
              "nothing is written; check the scores for extreme values");
}

void check_overflow(std::span<const Stage> of, const Calibrator& calibrator,
                    const JsonNode* stages) {
  const std::size_t s = map::first_overflow(of, calibrator.gauge, calibrator.class_count);
  if (s == of.size()) return;
  const auto& theta = of[s].theta;
  const double largest =
      *std::ranges::max_element(theta, {}, [](double number) { return std::abs(number); });
  const std::string what =
      fmt::format("{} is too large: with large scores the result is beyond the range of float64",
                  json_number(largest));
  const char* const hint = "fit the calibrator again with ‹fit()›";
  if (stages != nullptr) (*stages)[s]["parameters"].fail(what, hint);
  throw Error(ErrorCode::model, "calibrator: parameter " + what, hint);
}

std::vector<std::string> classes_from_json(const JsonNode& node, std::size_t count) {
  std::vector<std::string> classes;
  if (node.is_null()) return classes;
  if (node.array_size() != count) {
    node.fail(fmt::format("expected {} names, found {}", count, node.array_size()));
  }
  std::set<std::string> seen;
  for (std::size_t k = 0; k < count; ++k) {
    classes.push_back(node[k].string());
    if (!seen.insert(classes.back()).second) {
      node[k].fail(fmt::format("class name '{}' given twice", classes.back()));
    }
  }
  return classes;
}

Json stages_to_json(const std::vector<Stage>& of, const Calibrator& calibrator) {
  Json stages = Json::array();
  for (const Stage& stage : of) {
    check_stage(stage);
    stages.push_back(
        {{"target", target_to_json(stage.target)},
         {"map", map_to_json(stage.map)},
         {"parameters", parameters_to_json(stage.map, stage.theta, calibrator.class_count)},
         {"report", report_to_json(stage.report)}});
  }
  check_overflow(of, calibrator, nullptr);
  return stages;
}

std::vector<Stage> stages_from_json(const JsonNode& stages, const Calibrator& calibrator) {
  std::vector<Stage> all;
  if (stages.array_size() == 0) stages.fail("expected at least 1 stage, found 0");
  for (std::size_t s = 0; s < stages.array_size(); ++s) {
    const JsonNode node = stages[s];
    node.keys({"target", "map", "parameters", "report"});
    Stage stage{.target = target_from_json(node["target"]),
                .map = map_from_json(node["map"]),
                .theta = {},
                .report = report_from_json(node["report"])};
    stage.theta = parameters_from_json(stage.map, node["parameters"], calibrator.class_count);
    all.push_back(std::move(stage));
  }
  check_overflow(all, calibrator, &stages);
  return all;
}

/// Weights are divided by their sum once, when they are made: what is left is rounding.
constexpr double kWeightSlack = 1e-9;

Json members_to_json(const Calibrator& calibrator) {
  Json members = Json::array();
  for (const Member& member : calibrator.members) {
    members.push_back({{"method", member.method},
                       {"weight", member.weight},
                       {"stages", stages_to_json(member.stages, calibrator)}});
  }
  return members;
}

std::vector<Member> members_from_json(const JsonNode& members, const Calibrator& calibrator) {
  std::vector<Member> all;
  double total = 0.0;
  if (members.array_size() == 0) members.fail("expected at least 1 member, found 0");
  for (std::size_t i = 0; i < members.array_size(); ++i) {
    const JsonNode node = members[i];
    node.keys({"method", "weight", "stages"});
    Member member{node["method"].string(), within(node["weight"], 0.0, 1.0),
                  stages_from_json(node["stages"], calibrator)};
    total += member.weight;
    all.push_back(std::move(member));
  }
  if (!(std::abs(total - 1.0) <= kWeightSlack)) {
    members.fail(fmt::format("the weights add up to {}; expected 1", json_number(total)));
  }
  return all;
}

/// Before anything else, so that a file of another kind or time is called what it is.
void check_format(const JsonNode& root) {
  constexpr const char* kHint = "calibrator files are written by ‹fit()›";
  if (!root.value().is_object() || !root.has("format")) {
    root.fail("not a calibrator file: no key 'format'", kHint, ErrorCode::format);
  }
  if (root["format"].value() == kPanelFormat) {
    root.fail(
        "a calibrator for several models cannot be used here",
        "it takes the scores of every model; ONNX, C and model cards know one model alone, so "
        "fit that with ‹fit()›",
        ErrorCode::format);
  }
  if (root["format"].value() != kCalibratorFormat) {
    root["format"].fail(fmt::format("expected \"{}\", found {}", kCalibratorFormat,
                                    to_json_line(root["format"].value()).substr(0, 60)),
                        kHint, ErrorCode::format);
  }
  const std::uint64_t version = root["version"].integer(1, kMaxCount);
  if (version > kCalibratorVersion) {
    root["version"].fail(fmt::format("version {} is newer than this program, which reads up to {}",
                                     version, kCalibratorVersion),
                         "update credence, or fit again with this version");
  }
}

}  // namespace

Json report_to_json(const FitReport& report) {
  return {{"stop", to_string(report.stop)},
          {"passes", report.passes},
          {"loss", report.loss},
          {"gradient_norm", report.gradient_norm},
          {"notes", report.notes}};
}

FitReport report_from_json(const JsonNode& node) {
  node.keys({"stop", "passes", "loss", "gradient_norm", "notes"});
  FitReport report;
  report.stop = stop_from_json(node["stop"]);
  report.passes = static_cast<int>(node["passes"].integer(0, kMaxInt));
  report.loss = number_or_null(node["loss"]);
  report.gradient_norm = number_or_null(node["gradient_norm"]);
  const JsonNode notes = node["notes"];
  for (std::size_t i = 0; i < notes.array_size(); ++i) report.notes.push_back(notes[i].string());
  return report;
}

std::uint64_t file_version(const Calibrator& calibrator) {
  const bool plain = !calibrator.is_pool() && !calibrator.selection && !calibrator.second_order;
  return plain ? 1 : kCalibratorVersion;
}

std::string calibrator_to_json(const Calibrator& calibrator, const CalibratorInfo& info) {
  Json root;
  root["format"] = kCalibratorFormat;
  root["version"] = file_version(calibrator);
  root["credence"] = CREDENCE_VERSION;
  root["method"] = calibrator.method;
  root["gauge"] = name_of(calibrator.gauge, kGauges);
  root["classes"] = calibrator.classes.empty() ? Json(nullptr) : Json(calibrator.classes);
  root["class_count"] = calibrator.class_count;
  if (calibrator.is_pool()) {
    root["members"] = members_to_json(calibrator);
  } else {
    root["stages"] = stages_to_json(calibrator.stages, calibrator);
  }
  if (calibrator.selection) root["selection"] = selection_to_json(*calibrator.selection);
  if (calibrator.second_order) {
    root["second_order"] = second_order_to_json(*calibrator.second_order);
  }
  root["protocol"] = {{"seed", info.seed},
                      {"rows", info.rows},
                      {"score_kind", info.score_kind},
                      {"evidence", info.evidence},
                      {"votes_per_example", info.votes_per_example}};
  root["fingerprint"] = info.fingerprint;
  if (!info.sketch.smallest.empty()) {
    root["extra"][kSketchName] = sketch_to_json(info.sketch);
  }
  return to_json_text(root);
}

LoadedCalibrator calibrator_from_json(std::string_view text, std::string_view origin) {
  const Json document = parse_json(text, origin, "a calibrator file is written by ‹fit()›");
  const JsonNode root(document, origin);
  check_format(root);
  const bool is_pool = root.has("members");
  root.keys({"format", "version", "credence", "method", "gauge", "classes", "class_count",
             is_pool ? "members" : "stages", "protocol", "fingerprint"},
            {"extra", "selection", "second_order"});
  root["credence"].string();
  if (root.has("extra") && !root["extra"].value().is_object()) {
    root["extra"].fail("expected an object");
  }

  LoadedCalibrator loaded;
  Calibrator& calibrator = loaded.calibrator;
  calibrator.method = root["method"].string();
  calibrator.gauge = choose(root["gauge"], kGauges);
  calibrator.class_count = root["class_count"].integer(2, kMaxClasses);
  calibrator.classes = classes_from_json(root["classes"], calibrator.class_count);

  if (is_pool) {
    calibrator.members = members_from_json(root["members"], calibrator);
  } else {
    calibrator.stages = stages_from_json(root["stages"], calibrator);
  }
  if (root.has("selection")) calibrator.selection = selection_from_json(root["selection"]);

  if (root.has("second_order")) {
    calibrator.second_order = second_order_from_json(root["second_order"]);
  }

  const JsonNode protocol = root["protocol"];
  protocol.keys({"seed", "rows", "score_kind", "evidence", "votes_per_example"});
  CalibratorInfo& info = loaded.info;
  info.seed = protocol["seed"].integer(0, std::numeric_limits<std::uint64_t>::max());
  info.rows = protocol["rows"].integer(0, kMaxCount);
  info.score_kind = protocol["score_kind"].string();
  info.evidence = protocol["evidence"].string();
  info.votes_per_example = within(protocol["votes_per_example"], 0.0, kAnyWeight);
  info.fingerprint = root["fingerprint"].string();
  if (root.has("extra")) info.sketch = sketch_from_json(root["extra"].value());
  return loaded;
}

LoadedCalibrator load_calibrator(const std::string& path) {
  const std::string text = read_text(path);
  // It was read whole. 'apply' may run for days at the end of a pipe, and the next calibrator be
  // put in the place of this one meanwhile.
  forget_input(path);
  return calibrator_from_json(text, path);
}

}  // namespace credence::io
