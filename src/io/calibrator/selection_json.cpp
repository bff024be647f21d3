#include "io/calibrator/selection_json.hpp"

#include <limits>

namespace credence::io {
namespace {

constexpr std::uint64_t kMostParameters = std::uint64_t{1} << 53;

Json number_or_null(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}
std::optional<double> optional_number(const JsonNode& node) {
  return node.is_null() ? std::nullopt : std::optional(node.number());
}

Json candidate_to_json(const CandidateReport& one) {
  return {{"method", one.method},           {"parameters", one.parameters},
          {"nll", number_or_null(one.nll)}, {"standard_error", one.standard_error},
          {"behind", one.behind},           {"behind_standard_error", one.behind_error},
          {"weight", one.weight},           {"problem", one.problem}};
}

CandidateReport candidate_from_json(const JsonNode& node) {
  node.keys({"method", "parameters", "nll", "standard_error", "behind", "behind_standard_error",
             "weight", "problem"});
  return {.method = node["method"].string(),
          .parameters = node["parameters"].integer(0, kMostParameters),
          .nll = optional_number(node["nll"]),
          .standard_error = node["standard_error"].number(),
          .behind = node["behind"].number(),
          .behind_error = node["behind_standard_error"].number(),
          .weight = node["weight"].number(),
          .problem = node["problem"].string()};
}

}  // namespace

Json selection_to_json(const Selection& selection) {
  Json candidates = Json::array();
  for (const CandidateReport& one : selection.candidates) {
    candidates.push_back(candidate_to_json(one));
  }
  return {{"folds", selection.folds},
          {"nll", number_or_null(selection.nll)},
          {"standard_error", selection.standard_error},
          {"baseline", selection.baseline},
          {"gain", selection.gain},
          {"gain_standard_error", selection.gain_error},
          {"harm_probability", selection.harm},
          {"notes", selection.notes},
          {"candidates", candidates}};
}

Selection selection_from_json(const JsonNode& node) {
  node.keys({"folds", "nll", "standard_error", "baseline", "gain", "gain_standard_error",
             "harm_probability", "notes", "candidates"});
  Selection selection;
  selection.folds = static_cast<std::uint32_t>(
      node["folds"].integer(0, std::numeric_limits<std::uint32_t>::max()));
  selection.nll = optional_number(node["nll"]);
  selection.standard_error = node["standard_error"].number();
  selection.baseline = node["baseline"].string();
  selection.gain = node["gain"].number();
  selection.gain_error = node["gain_standard_error"].number();
  selection.harm = node["harm_probability"].number();
  const JsonNode notes = node["notes"], candidates = node["candidates"];
  for (std::size_t i = 0; i < notes.array_size(); ++i) selection.notes.push_back(notes[i].string());
  for (std::size_t i = 0; i < candidates.array_size(); ++i) {
    selection.candidates.push_back(candidate_from_json(candidates[i]));
  }
  return selection;
}

}  // namespace credence::io
