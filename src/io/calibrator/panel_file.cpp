// credence-panel files: the calibrators of several models and how much each counts.
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <optional>

#include "credence/panel_files.hpp"
#include "io/bytes/input_guard.hpp"
#include "io/bytes/text_lines.hpp"
#include "io/calibrator/calibrator_json.hpp"
#include "io/json/json_node.hpp"

namespace credence::io {
namespace {

constexpr std::string_view kPanelWriter = "a calibrator file is written by ‹fit()›";
constexpr double kMostExponent = 1e6;

/// Null for a number that is not finite.
Json finite_json(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

double finite_number(const JsonNode& node) {
  return node.is_null() ? std::numeric_limits<double>::infinity() : node.number();
}

std::optional<double> maybe_number(const JsonNode& node) {
  return node.is_null() ? std::nullopt : std::optional(node.number());
}

bool is_panel(const Json& document) {
  return document.is_object() && document.contains("format") && document["format"] == kPanelFormat;
}

LoadedPanel read_panel(const Json& document, std::string_view origin) {
  const JsonNode root(document, origin);
  const std::uint64_t version = root["version"].integer(1, std::uint64_t{1} << 53);
  if (version > kPanelVersion) {
    root["version"].fail(fmt::format("version {} is newer than this program, which reads up to {}",
                                     version, kPanelVersion),
                         "update credence, or fit again with this version");
  }
  root.keys({"format", "version", "nll", "standard_error", "gain", "gain_standard_error", "notes",
             "models"});
  LoadedPanel loaded;
  Panel& panel = loaded.panel;
  panel.nll = maybe_number(root["nll"]);
  panel.standard_error = finite_number(root["standard_error"]);
  panel.gain = root["gain"].number();
  panel.gain_error = finite_number(root["gain_standard_error"]);
  const JsonNode notes = root["notes"], models = root["models"];
  for (std::size_t i = 0; i < notes.array_size(); ++i) panel.notes.push_back(notes[i].string());
  const std::size_t count = models.array_size();
  if (count == 0 || count > kMostModels) {
    models.fail(fmt::format("expected 1 to {} models, found {}", kMostModels, count));
  }
  double total = 0.0;
  for (std::size_t m = 0; m < count; ++m) {
    const JsonNode node = models[m];
    node.keys({"name", "exponent", "nll", "standard_error", "calibrator"});
    PanelModel& model = panel.models.emplace_back();
    model.name = node["name"].string();
    model.exponent = node["exponent"].number();
    if (!(model.exponent >= 0.0 && model.exponent <= kMostExponent)) {
      node["exponent"].fail(
          fmt::format("{} is not between 0 and {:g}", json_number(model.exponent), kMostExponent));
    }
    total += model.exponent;
    model.nll = maybe_number(node["nll"]);
    model.standard_error = finite_number(node["standard_error"]);
    LoadedCalibrator own =
        calibrator_from_json(to_json_line(node["calibrator"].value()),
                             fmt::format("{}: models[{}].calibrator", origin, m));
    model.calibrator = std::move(own.calibrator);
    loaded.infos.push_back(std::move(own.info));
    const Calibrator& first = panel.models.front().calibrator;
    if (model.calibrator.class_count != first.class_count ||
        model.calibrator.classes != first.classes) {
      node["calibrator"].fail("its classes are not those of the first model");
    }
  }
  if (!(total > 0.0)) models.fail("all exponents are 0; expected one above it");
  return loaded;
}

}  // namespace

std::string panel_to_json(const Panel& panel, std::span<const CalibratorInfo> infos) {
  Json root;
  root["format"] = kPanelFormat;
  root["version"] = kPanelVersion;
  root["nll"] = optional_json(panel.nll);
  root["standard_error"] = finite_json(panel.standard_error);
  root["gain"] = panel.gain;
  root["gain_standard_error"] = finite_json(panel.gain_error);
  root["notes"] = panel.notes;
  root["models"] = Json::array();
  for (std::size_t m = 0; m < panel.models.size(); ++m) {
    const PanelModel& model = panel.models[m];
    const std::string calibrator = calibrator_to_json(model.calibrator, infos[m]);
    root["models"].push_back({{"name", model.name},
                              {"exponent", model.exponent},
                              {"nll", optional_json(model.nll)},
                              {"standard_error", finite_json(model.standard_error)},
                              {"calibrator", parse_json(calibrator, model.name, kPanelWriter)}});
  }
  return to_json_text(root);
}

LoadedPanel panel_from_json(std::string_view text, std::string_view origin) {
  const Json document = parse_json(text, origin, kPanelWriter);
  if (!is_panel(document)) {
    JsonNode(document, origin)
        .fail("not a calibrator for several models", "‹fit()› writes one from several score files",
              ErrorCode::format);
  }
  return read_panel(document, origin);
}

AnyCalibrator load_any_calibrator(const std::string& path) {
  const std::string text = read_text(path);
  forget_input(path);
  const Json document = parse_json(text, path, kPanelWriter);
  if (is_panel(document)) return read_panel(document, path);
  return calibrator_from_json(text, path);
}

}  // namespace credence::io
