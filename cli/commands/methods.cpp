// `credence methods`: the catalogue, straight from the table the library fits from.
#include "credence/methods.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <variant>

#include "commands/commands.hpp"
#include "credence/options.hpp"
#include "text/json_output.hpp"
#include "text/table.hpp"
#include "text/terminal.hpp"

namespace credence::cli {
namespace {

constexpr std::string_view kCombine =
    "TARGET+MAP combines any target with any map: 'annotators+histogram'.";
constexpr std::string_view kThen =
    "'A then B' fits A, then fits B to A's output: 'dirichlet-soft then ts'. Only worth it after a "
    "richer map: 'slts then ts' is ts.";

std::string in_words(std::string_view meaning) { return render(meaning, Speech::command_line); }

std::vector<const Method*> selected(const std::string& evidence) {
  std::vector<std::string_view> allowed;
  if (!evidence.empty()) {
    for (const Evidence kind :
         {Evidence::none, Evidence::voted, Evidence::annotations, Evidence::distributions}) {
      if (to_string(kind) == evidence) allowed = methods_allowed_by(kind);
    }
  }
  std::vector<const Method*> methods;
  for (const Method& method : kMethods) {
    const bool keep =
        evidence.empty() || std::find(allowed.begin(), allowed.end(), method.id) != allowed.end();
    if (keep) methods.push_back(&method);
  }
  return methods;
}

TextTable method_table(const std::vector<const Method*>& methods) {
  TextTable table({"method", "fitted to", "map", "needs", "summary"}, "lllll");
  for (const Method* method : methods) {
    table.row({std::string(method->id), std::string(target_name(method->target)),
               std::string(map_name(method->map)), std::string(to_string(needs(method->target))),
               std::string(method->summary)});
  }
  return table;
}

TextTable automatic_table() {
  TextTable table({"method", "summary"}, "ll");
  for (const AutomaticMethod& method : kAutomaticMethods) {
    table.row({std::string(method.id), std::string(method.summary)});
  }
  return table;
}

TextTable target_table() {
  TextTable table({"target", "needs", "meaning"}, "lll");
  for (const TargetSpec& target : kTargets) {
    table.row({std::string(target_name(target)), std::string(to_string(needs(target))),
               in_words(target_meaning(target))});
  }
  return table;
}

TextTable map_table() {
  TextTable table({"map", "meaning"}, "ll");
  for (const MapSpec& map : kMaps) {
    table.row({std::string(map_name(map)), in_words(map_meaning(map))});
  }
  return table;
}

std::string as_text(const std::vector<const Method*>& methods) {
  const Paint paint(stdout);
  return fmt::format(
      "{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}\n",
      paint.bold("Methods: a target (what to believe about the labels) and a map (how scores may "
                 "bend)"),
      method_table(methods).text("  "), paint.bold("Methods that choose among candidates"),
      automatic_table().text("  "), paint.bold("Targets"), target_table().text("  "),
      paint.bold("Maps"), map_table().text("  "), kCombine, kThen);
}

std::string as_markdown(const std::vector<const Method*>& methods) {
  return fmt::format(
      "# Methods\n\n"
      "<!-- Written by `credence methods --format markdown`. -->\n\n"
      "A method is a target (what to believe about the labels) and a map (how scores may bend). "
      "Every smooth map is fitted to the exact minimum of the soft cross-entropy between the two.\n"
      "\n{}\n## Methods that choose\n\nThese fit several candidates and judge them on held-out "
      "rows: "
      "[auto.md](auto.md).\n\n{}\n## Targets\n\n{}\n## Maps\n\n{}\n## Combinations\n\n{}\n\n{}\n",
      method_table(methods).markdown(), automatic_table().markdown(), target_table().markdown(),
      map_table().markdown(), kCombine, kThen);
}

std::string as_json(const std::vector<const Method*>& methods) {
  Json json{{"methods", Json::array()}, {"targets", Json::array()}, {"maps", Json::array()}};
  for (const Method* method : methods) {
    json["methods"].push_back({{"id", method->id},
                               {"target", target_name(method->target)},
                               {"map", map_name(method->map)},
                               {"needs", to_string(needs(method->target))},
                               {"summary", method->summary}});
  }
  for (const AutomaticMethod& method : kAutomaticMethods) {
    json["automatic"].push_back({{"id", method.id}, {"summary", method.summary}});
  }
  for (const TargetSpec& target : kTargets) {
    json["targets"].push_back({{"name", target_name(target)},
                               {"needs", to_string(needs(target))},
                               {"meaning", in_words(target_meaning(target))}});
  }
  for (const MapSpec& map : kMaps) {
    json["maps"].push_back({{"name", map_name(map)}, {"meaning", in_words(map_meaning(map))}});
  }
  json["combine"] = kCombine;
  json["then"] = kThen;
  return to_text(json);
}

}  // namespace

void run_methods(const MethodsOptions& options) {
  const std::vector<const Method*> methods = selected(options.evidence);
  switch (options.format) {
    case Format::text:
      return print(as_text(methods));
    case Format::markdown:
      return print(as_markdown(methods));
    case Format::csv:
      return print(method_table(methods).csv());
    case Format::json:
      return print(as_json(methods));
  }
}

}  // namespace credence::cli
