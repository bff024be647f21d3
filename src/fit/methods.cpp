#include "credence/methods.hpp"

#include <algorithm>

#include "credence/error.hpp"
#include "credence/text.hpp"

namespace credence {
namespace {

constexpr std::string_view kThen = " then ";

std::string_view trim(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

/// Finds the alternative called `name` in a table of targets or maps.
template <class Table, class Name>
auto find_part(const Table& table, Name name_of, std::string_view name, std::string_view what) {
  std::vector<std::string_view> known;
  for (const auto& entry : table) {
    if (name_of(entry) == name) return entry;
    known.push_back(name_of(entry));
  }
  throw Error(
      ErrorCode::usage,
      "unknown " + std::string(what) + " '" + std::string(name) + "'" + did_you_mean(name, known),
      "‹methods()› lists the methods, targets and maps");
}

using StageSpec = MethodSpec::StageSpec;

/// One stage, or the two of a catalogued method that begins with a temperature.
std::vector<StageSpec> parse_part(std::string_view name) {
  for (const Method& method : kMethods) {
    if (method.id != name) continue;
    const StageSpec own{method.target, method.map};
    if (!method.after_temperature) return {own};
    return {{method.target, Temperature{}}, own};
  }
  if (const auto plus = name.find('+'); plus != std::string_view::npos) {
    return {{find_part(kTargets, target_name, trim(name.substr(0, plus)), "target"),
             find_part(kMaps, map_name, trim(name.substr(plus + 1)), "map")}};
  }
  std::vector<std::string_view> known;
  for (const Method& method : kMethods) known.push_back(method.id);
  for (const AutomaticMethod& method : kAutomaticMethods) {
    if (method.id == name) {
      throw Error(ErrorCode::usage,
                  "'" + std::string(name) + "' chooses for itself and cannot be a stage",
                  "use it alone, without 'then'");
    }
    known.push_back(method.id);
  }
  throw Error(ErrorCode::usage,
              "unknown method '" + std::string(name) + "'" + did_you_mean(name, known),
              "‹methods()› lists all");
}

}  // namespace

Evidence MethodSpec::needs() const {
  Evidence most = automatic == Automatic::no ? Evidence::none : Evidence::voted;
  for (const StageSpec& stage : stages) most = std::max(most, credence::needs(stage.target));
  return most;
}

MethodSpec parse_method(std::string_view name) {
  MethodSpec spec;
  for (const AutomaticMethod& method : kAutomaticMethods) {
    if (method.id != trim(name)) continue;
    spec.name = method.id;
    spec.automatic = method.kind;
    return spec;
  }
  std::string_view rest = name;
  while (true) {
    const auto then = rest.find(kThen);
    const std::string_view part = trim(rest.substr(0, then));
    for (StageSpec& stage : parse_part(part)) spec.stages.push_back(std::move(stage));
    if (!spec.name.empty()) spec.name += kThen;
    spec.name += part;
    if (then == std::string_view::npos) return spec;
    rest.remove_prefix(then + kThen.size());
  }
}

std::vector<std::string_view> methods_allowed_by(Evidence evidence) {
  std::vector<std::string_view> allowed;
  for (const Method& method : kMethods) {
    if (needs(method.target) <= evidence) allowed.push_back(method.id);
  }
  return allowed;
}

std::vector<std::string_view> methods_compared_with(Evidence evidence) {
  std::vector<std::string_view> compared;
  for (const Method& method : kMethods) {
    if (method.compared && needs(method.target) <= evidence) compared.push_back(method.id);
  }
  return compared;
}

}  // namespace credence
