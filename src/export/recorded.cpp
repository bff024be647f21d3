// What a calibrator's file says, as far as an exported graph needs it.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "credence/error.hpp"
#include "credence/export.hpp"
#include "credence/settings.hpp"

namespace credence::exporter {

std::optional<ScoreKind> kind_named(std::string name) {
  for (char& c : name) c = c == '-' ? '_' : c;
  for (const ScoreKind kind : {ScoreKind::logits, ScoreKind::log_probs, ScoreKind::probs}) {
    if (name == to_string(kind)) return kind;
  }
  return std::nullopt;
}

Properties properties_of(const io::LoadedCalibrator& loaded) {
  const Calibrator& calibrator = loaded.calibrator;
  Properties properties{{"credence.method", calibrator.method},
                        {"credence.class_count", std::to_string(calibrator.class_count)},
                        {"credence.gauge", std::string(to_string(calibrator.gauge))},
                        {"credence.score_kind", loaded.info.score_kind},
                        {"credence.fingerprint", loaded.info.fingerprint},
                        {"credence.format_version", std::to_string(io::file_version(calibrator))},
                        {"credence.version", CREDENCE_VERSION}};
  if (!calibrator.classes.empty()) {
    properties.emplace_back("credence.classes", nlohmann::json(calibrator.classes).dump());
  }
  return properties;
}

ScoreKind input_of(const io::LoadedCalibrator& loaded, std::optional<ScoreKind> wanted,
                   const std::string& origin) {
  const std::optional<ScoreKind> recorded = kind_named(loaded.info.score_kind);
  if (!wanted && !recorded) {
    throw Error(ErrorCode::model,
                fmt::format("{} does not say which kind of scores it is for", origin),
                "say it with ‹input_kind=logits|log-probs|probs›");
  }
  if (loaded.calibrator.gauge == Gauge::raw && wanted && recorded && *wanted != *recorded) {
    throw Error(ErrorCode::model,
                fmt::format("{} was fitted to raw {}; other scores would give other results",
                            origin, loaded.info.score_kind),
                "leave out ‹input_kind›, or fit again without ‹gauge=raw›");
  }
  return wanted.value_or(recorded.value_or(ScoreKind::logits));
}

}  // namespace credence::exporter
