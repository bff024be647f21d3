// Tasks that Label Studio exports as JSON: annotations[].result[].value.choices, one annotation for
// each annotator. Cancelled ones are left out.
#include <fmt/format.h>

#include "io/json/json_lines.hpp"
#include "io/votes/published/json_layout.hpp"
#include "io/votes/vote_json.hpp"

namespace credence::io {
namespace {

namespace dom = simdjson::dom;

/// What versions before 1.0 call annotations.
std::optional<dom::element> annotations_of(dom::object task) {
  const auto found = value_at(task, "annotations");
  return found ? found : value_at(task, "completions");
}

class LabelStudioReader : public LayoutReader {
 public:
  explicit LabelStudioReader(LayoutAnswers& answers)
      : answers_(answers), control_(answers.file().votes_field) {}

  void read(dom::object task) override {
    answers_.start_example(answers_.id_of(task, {"id"}));
    if (!noted_ids_ && answers_.file().id_field.empty() && value_at(task, "data.id")) {
      noted_ids_ = true;
      answers_.note("ids are those of the tasks; ‹id_field=data.id› takes those of the data");
    }
    const auto found = annotations_of(task);
    if (!found) return;
    dom::array list;
    if (found->get(list) != simdjson::SUCCESS) {
      answers_.fail(fmt::format("annotations is {}; a list is wanted", json_type_name(*found)));
    }
    for (const dom::element item : list) {
      dom::object annotation;
      if (item.get(annotation) != simdjson::SUCCESS) {
        answers_.fail(
            fmt::format("an annotation is {}; an object is wanted", json_type_name(item)));
      }
      read_annotation(annotation);
    }
  }

  RawVotes finish() override {
    return answers_.finish(answers_.file(),
                           fmt::format("Label Studio tasks, choices of '{}'", control_));
  }

 private:
  void read_annotation(dom::object annotation) {
    bool cancelled = false;
    if (annotation.at_key("was_cancelled").get(cancelled) == simdjson::SUCCESS && cancelled) {
      answers_.leave_out("cancelled annotation");
      return;
    }
    const auto result = list_at(annotation, "result");
    std::vector<std::string> labels;
    if (result) {
      for (const dom::element item : *result) add_choices(item, labels);
    }
    if (labels.empty()) {
      answers_.leave_out("annotation without a choice");
      return;
    }
    answers_.answer(annotator_of(annotation), labels);
  }

  // A number, or an object with what is known of the person.
  static std::string annotator_of(dom::object annotation) {
    for (const std::string_view field :
         {"completed_by", "completed_by.id", "completed_by.email", "created_username"}) {
      if (std::string name = text_at(annotation, field); !name.empty()) return name;
    }
    return {};
  }

  void add_choices(dom::element item, std::vector<std::string>& labels) {
    dom::object region;
    if (item.get(region) != simdjson::SUCCESS) {
      answers_.fail(fmt::format("a result is {}; an object is wanted", json_type_name(item)));
    }
    const auto choices = value_at(region, "value.choices");
    if (!choices || !is_asked(text_at(region, "from_name"))) return;
    dom::array list;
    if (choices->get(list) != simdjson::SUCCESS) {
      answers_.fail(fmt::format("choices is {}; a list is wanted", json_type_name(*choices)));
    }
    for (const dom::element choice : list) {
      const auto label = to_label(choice);
      if (!label) {
        answers_.fail(fmt::format("a choice is {}; a label is wanted", json_type_name(choice)));
      }
      labels.push_back(*label);
    }
  }

  bool is_asked(const std::string& control) {
    if (!answers_.file().votes_field.empty()) return control == control_;
    if (control_.empty()) control_ = control;
    if (control == control_) return true;
    answers_.fail(fmt::format("choices of '{}' and of '{}'", control_, control),
                  "name the one that is meant (its from_name) with ‹votes_field›");
  }

  LayoutAnswers& answers_;
  std::string control_;  // from_name
  bool noted_ids_ = false;
};

bool fits_label_studio(dom::object task) {
  const auto annotations = annotations_of(task);
  dom::array list;
  if (!annotations || annotations->get(list) != simdjson::SUCCESS) return false;
  for (const dom::element item : list) {
    dom::object annotation;
    return item.get(annotation) == simdjson::SUCCESS && has_key(annotation, "result");
  }
  return has_key(task, "data") && has_key(task, "project");
}

std::unique_ptr<LayoutReader> open_label_studio(LayoutAnswers& answers) {
  return std::make_unique<LabelStudioReader>(answers);
}

}  // namespace

extern const JsonLayout kLabelStudioLayout{
    .name = "label-studio", .fits = fits_label_studio, .open = open_label_studio};

}  // namespace credence::io
