#include "io/votes/vote_lists.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "io/json/json_lines.hpp"
#include "io/votes/vote_json.hpp"
#include "io/votes/vote_names.hpp"

namespace credence::io {
namespace {

namespace dom = simdjson::dom;

/// The key for a role among those of an object; empty for none.
std::string role_key(dom::object object, ColumnRole role) {
  std::vector<std::string> names;
  for (const auto field : object) names.emplace_back(field.key);
  const auto found = find_role(names, role);
  return found ? names[*found] : std::string();
}

/// Labels, or annotators, from a list of strings and numbers.
void take_items(dom::array list, std::string_view what, std::vector<std::string>& items,
                std::string& problem) {
  std::size_t k = 0;
  for (const dom::element item : list) {
    const auto text = to_label(item);
    if (!text && problem.empty()) {
      problem = fmt::format("item {} is {}; {} is wanted", k, json_type_name(item), what);
    }
    items.push_back(text.value_or(""));
    ++k;
  }
}

void take_annotators(dom::element value, ListedLabels& found) {
  dom::array list;
  if (value.get(list) != simdjson::SUCCESS) {
    found.problem = fmt::format("the annotators are {}; a list is wanted", json_type_name(value));
    return;
  }
  take_items(list, "an annotator", found.annotators, found.problem);
  if (found.annotators.size() == found.labels.size() || !found.problem.empty()) return;
  found.problem =
      fmt::format("{} labels but {} annotators", found.labels.size(), found.annotators.size());
}

void take_objects(dom::array list, ListedLabels& found) {
  for (const dom::element item : list) {
    dom::object answer;
    if (item.get(answer) != simdjson::SUCCESS) {
      found.problem = fmt::format("an item is {}; an object is wanted", json_type_name(item));
      return;
    }
    const std::string label_key = role_key(answer, ColumnRole::label);
    const std::string annotator_key = role_key(answer, ColumnRole::annotator);
    if (label_key.empty()) {
      found.problem = "an item has no field with a label";
      return;
    }
    const auto label = to_label(answer.at_key(label_key).value_unsafe());
    if (!label) {
      found.problem = fmt::format("'{}' of an item is no label", label_key);
      return;
    }
    found.labels.push_back(*label);
    if (annotator_key.empty()) continue;
    found.annotators.push_back(to_label(answer.at_key(annotator_key).value_unsafe()).value_or(""));
  }
  if (!found.annotators.empty() && found.annotators.size() != found.labels.size()) {
    found.problem = "some items name an annotator, others do not";
  }
}

}  // namespace

bool is_object_of_lists(dom::element value) {
  dom::object object;
  if (value.get(object) != simdjson::SUCCESS || object.size() == 0) return false;
  const std::string label = role_key(object, ColumnRole::label);
  return !label.empty() && object.at_key(label).value_unsafe().is_array();
}

bool is_list_of_objects(dom::element value) {
  dom::array list;
  if (value.get(list) != simdjson::SUCCESS) return false;
  for (const dom::element item : list) return item.is_object();
  return false;
}

std::string annotator_list_of(dom::object record, std::string_view votes_field) {
  for (const std::string_view name : kAnnotatorLists) {
    dom::element value;
    if (name == votes_field || record.at_key(name).get(value) != simdjson::SUCCESS) continue;
    if (value.is_array() && !is_list_of_objects(value)) return std::string(name);
  }
  return {};
}

ListedLabels read_listed_labels(dom::element value, dom::object record,
                                const std::string& annotator_list) {
  ListedLabels found;
  dom::array list;
  dom::object lists;
  if (value.get(lists) == simdjson::SUCCESS) {
    const std::string label = role_key(lists, ColumnRole::label);
    const std::string annotator = role_key(lists, ColumnRole::annotator);
    if (label.empty() || lists.at_key(label).value_unsafe().get(list) != simdjson::SUCCESS) {
      found.problem = "no list of labels in it";
      return found;
    }
    take_items(list, "a label", found.labels, found.problem);
    if (!annotator.empty()) take_annotators(lists.at_key(annotator).value_unsafe(), found);
    return found;
  }
  if (value.get(list) != simdjson::SUCCESS) {
    found.problem = fmt::format("{}, unlike the records before", json_type_name(value));
    return found;
  }
  if (is_list_of_objects(value)) {
    take_objects(list, found);
    return found;
  }
  take_items(list, "a label", found.labels, found.problem);
  dom::element annotators;
  if (annotator_list.empty() || !found.problem.empty()) return found;
  if (record.at_key(annotator_list).get(annotators) != simdjson::SUCCESS) {
    found.problem = fmt::format("no field '{}', unlike the records before", annotator_list);
    return found;
  }
  take_annotators(annotators, found);
  return found;
}

}  // namespace credence::io
