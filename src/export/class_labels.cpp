// Class names that a network carries: labels of a scikit-learn converter, or properties that other
// exporters write.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <nlohmann/json.hpp>

#include "credence/error.hpp"
#include "credence/io.hpp"
#include "export/network.hpp"
#include "io/text/delimited.hpp"

namespace credence::exporter {
namespace {

std::vector<std::string> labels_of(const ::onnx::NodeProto& node) {
  std::vector<std::string> labels;
  for (const auto& attribute : node.attribute()) {
    if (!attribute.name().starts_with("classlabels_")) continue;
    for (const std::string& label : attribute.strings()) labels.push_back(label);
    for (const std::int64_t label : attribute.ints()) labels.push_back(std::to_string(label));
  }
  return labels;
}

/// {"0": "cat", "1": "dog"} and ["cat", "dog"].
std::vector<std::string> from_json(const nlohmann::json& json, std::size_t classes) {
  std::vector<std::string> names;
  if (json.size() != classes) return {};
  if (json.is_array()) {
    for (const auto& name : json) {
      if (!name.is_string()) return {};
      names.push_back(name.get<std::string>());
    }
  }
  if (json.is_object()) {
    for (std::size_t k = 0; k < classes; ++k) {
      const auto name = json.find(std::to_string(k));
      if (name == json.end() || !name->is_string()) return {};
      names.push_back(name->get<std::string>());
    }
  }
  return names;
}

/// {0: 'cat', 1: 'dog'} and ['cat', 'dog'] as Python prints them: quoted pieces, in order. Numbers
/// before a colon must count up from 0.
std::vector<std::string> from_python(std::string_view text) {
  std::vector<std::string> names;
  while (!text.empty()) {
    const std::size_t open = text.find_first_of("'\"");
    if (open == std::string_view::npos) break;
    const std::size_t close = text.find(text[open], open + 1);
    if (close == std::string_view::npos) return {};
    const std::size_t digit = text.substr(0, open).find_first_of("0123456789");
    if (digit != std::string_view::npos) {
      std::size_t index = 0;
      std::from_chars(text.data() + digit, text.data() + open, index);
      if (index != names.size()) return {};
    }
    names.emplace_back(text.substr(open + 1, close - open - 1));
    text.remove_prefix(close + 1);
  }
  return names;
}

/// cat,dog and one name a line.
std::vector<std::string> from_list(std::string_view text) {
  const char separator = text.find('\n') != std::string_view::npos ? '\n' : ',';
  std::vector<std::string> names;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    const std::string_view name = io::trim(text.substr(0, end));
    if (!name.empty()) names.emplace_back(name);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return names;
}

constexpr std::size_t kMostText = std::size_t{1} << 20;

std::vector<std::string> from_property(const std::string& text, std::size_t classes) {
  if (text.size() > kMostText) return {};
  const auto json = nlohmann::json::parse(text, nullptr, false);
  std::vector<std::string> names;
  if (!json.is_discarded()) {
    names = from_json(json, classes);
  } else if (text.find_first_of("{}[]'\"") != std::string::npos) {
    names = from_python(text);
  } else {
    names = from_list(text);
  }
  if (names.size() != classes) names.clear();
  return names;
}

constexpr std::array<std::string_view, 6> kProperties{"names",  "classes",  "class_names",
                                                      "labels", "id2label", "class_labels"};

}  // namespace

std::vector<std::string> class_labels(const ::onnx::ModelProto& model, const ScoresOutput& scores,
                                      std::size_t classes, const std::string& origin,
                                      std::vector<std::string>& notes) {
  const ::onnx::GraphProto& graph = model.graph();
  if (scores.zip_map >= 0) {
    std::vector<std::string> labels = labels_of(graph.node(scores.zip_map));
    if (labels.size() == classes) return labels;
  }
  for (const auto& node : graph.node()) {
    if (node.domain() != "ai.onnx.ml") continue;
    std::vector<std::string> labels = labels_of(node);
    if (labels.size() == classes) return labels;
  }
  std::vector<std::string> found;
  std::string found_in;
  for (const auto& property : model.metadata_props()) {
    if (std::ranges::find(kProperties, property.key()) == kProperties.end()) continue;
    std::vector<std::string> names = from_property(property.value(), classes);
    if (names.empty()) {
      notes.push_back(fmt::format(
          "the network's property '{}' is not a list of {} names; the order of the classes is not "
          "compared with it",
          property.key(), classes));
    } else if (found.empty() || io::are_numbered(found)) {
      found = std::move(names);
      found_in = property.key();
    } else if (names != found && !io::are_numbered(names)) {
      throw Error(ErrorCode::model,
                  fmt::format("{}: its properties '{}' and '{}' name the classes differently",
                              origin, found_in, property.key()),
                  "take the wrong one out of the network's metadata_props");
    }
  }
  return found;
}

}  // namespace credence::exporter
