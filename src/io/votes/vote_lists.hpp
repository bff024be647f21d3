// The labels that one JSON record lists, as the `datasets` library writes lists and structures: a
// list of labels beside a list of annotators, a list of objects, or an object of lists.
#pragma once

#include <simdjson.h>

#include <string>
#include <string_view>
#include <vector>

namespace credence::io {

struct ListedLabels {
  std::vector<std::string> labels;      ///< blank: no answer
  std::vector<std::string> annotators;  ///< as many, or none
  std::string problem;                  ///< why it cannot be read; empty when it can
};

/// {"label": [0, 2], "annotator_id": [1, 7]}
bool is_object_of_lists(simdjson::dom::element value);
/// [{"label": 0, "annotator_id": 1}, ...]
bool is_list_of_objects(simdjson::dom::element value);

/// The field of the record that lists annotators, one for each label; empty for none.
std::string annotator_list_of(simdjson::dom::object record, std::string_view votes_field);

/// `value` is what the field with the votes holds; `annotator_list` names that of their annotators.
ListedLabels read_listed_labels(simdjson::dom::element value, simdjson::dom::object record,
                                const std::string& annotator_list);

}  // namespace credence::io
