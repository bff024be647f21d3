// Learning with Disagreements (LeWiDi), editions of 2023 and 2025: one object, item by item, with
// `annotations` as a list "0,1,1" beside `annotators`, or as an object of annotator and label, and
// `soft_label`, whose keys are the classes.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "io/json/json_lines.hpp"
#include "io/text/delimited.hpp"
#include "io/votes/published/json_layout.hpp"
#include "io/votes/vote_json.hpp"

namespace credence::io {
namespace {

namespace dom = simdjson::dom;

constexpr std::string_view kSoftLabel = "soft_label";

/// "1" for "1.0": both are written, even for one class in one file.
std::string class_text(std::string_view key) {
  const auto number = parse_number(key);
  if (!number || *number != std::floor(*number) || std::abs(*number) > 9e15) {
    return std::string(trim(key));
  }
  return std::to_string(static_cast<std::int64_t>(*number));
}

class LewidiReader : public LayoutReader {
 public:
  explicit LewidiReader(LayoutAnswers& answers)
      : answers_(answers),
        dropped_(answers.file().drop_labels),
        wants_shares_(answers.file().votes_field == kSoftLabel) {
    const std::string& field = answers.file().votes_field;
    if (!field.empty() && field != kSoftLabel && field != "annotations") {
      answers.fail(fmt::format("LeWiDi files have no votes in '{}'", field),
                   "‹votes_field› is annotations or soft_label here");
    }
  }

  void read(dom::object record) override {
    answers_.start_example(answers_.id_of(record, {"id"}));
    const auto soft = object_at(record, kSoftLabel);
    if (soft) learn_classes(*soft);
    if (wants_shares_) {
      if (soft) add_shares(*soft);
      return;
    }
    const auto value = value_at(record, "annotations");
    if (!value) return;
    dom::object by_annotator;
    std::string_view list;
    if (value->get(by_annotator) == simdjson::SUCCESS) {
      for (const auto field : by_annotator) add_answer(field.key, field.value);
    } else if (value->get(list) == simdjson::SUCCESS) {
      add_list(list, text_at(record, "annotators"));
    } else {
      answers_.fail(
          fmt::format("annotations is {}; labels between commas, or an object of "
                      "annotator and label, are wanted",
                      json_type_name(*value)));
    }
  }

  RawVotes finish() override {
    VoteFile file = answers_.file();
    std::vector<std::string> names = sorted_classes();
    if (file.classes.empty() && are_indices(names)) {
      if (file.expected_classes == 0) file.expected_classes = names.size();
    } else if (file.classes.empty()) {
      file.classes = names;
    }
    std::vector<std::string> dead;
    std::ranges::copy_if(names, std::back_inserter(dead),
                         [this](const std::string& name) { return !chosen_.contains(name); });
    if (!dead.empty()) {
      answers_.note(fmt::format("nobody chose {}: {}",
                                dead.size() == 1 ? "one of the classes" : "some of the classes",
                                list_names(dead)));
    }
    if (decimal_keys_) {
      answers_.note("soft_label has keys such as '1.0', which stand for the labels '1'");
    }
    if (chosen_.empty() && !classes_.empty() && !wants_shares_) {
      throw Error(ErrorCode::data, fmt::format("{}: no annotations", file.path),
                  "‹votes_field=soft_label› reads the shares instead");
    }
    return answers_.finish(
        file, wants_shares_ ? "LeWiDi, shares of soft_label" : "LeWiDi, annotations by annotator");
  }

 private:
  void learn_classes(dom::object soft) {
    for (const auto field : soft) {
      const std::string name = class_text(field.key);
      decimal_keys_ = decimal_keys_ || name != field.key;
      if (known_.contains(name) || dropped_.has(name)) continue;
      known_.insert(name);
      classes_.push_back(name);
      answers_.know_class(name);
    }
  }

  void add_shares(dom::object soft) {
    for (const auto field : soft) {
      const auto share = to_number(field.value);
      if (!share || *share < 0.0 || *share > 1.0) {
        answers_.fail(
            fmt::format(
                "soft_label, class {}: {}; a share from 0 to 1 is wanted", excerpt(field.key),
                share ? fmt::format("{}", *share) : std::string(json_type_name(field.value))),
            share ? ""
                  : "annotators could choose several classes here: read the "
                    "annotations, without ‹votes_field›");
      }
      if (*share == 0.0) continue;
      chosen_.insert(class_text(field.key));
      answers_.answer({}, class_text(field.key), *share);
    }
  }

  void add_answer(std::string_view annotator, dom::element value) {
    const auto text = to_label(value);
    if (!text) {
      answers_.fail(fmt::format("annotator {}: {}; a label is wanted", excerpt(annotator),
                                json_type_name(value)));
    }
    if (is_blank(*text)) return;
    const bool is_class = known_.contains(class_text(*text));
    add_labels(annotator, is_class ? std::vector{*text} : split_at_commas(*text));
  }

  void add_list(std::string_view list, const std::string& annotators) {
    if (trim(list).empty()) return;
    const std::vector<std::string> labels = split_at_commas(list);
    const std::vector<std::string> names =
        annotators.empty() ? std::vector<std::string>(labels.size()) : split_at_commas(annotators);
    if (names.size() != labels.size()) {
      answers_.fail(fmt::format("{} but {}", counted(labels.size(), "label"),
                                counted(names.size(), "annotator")),
                    "annotations and annotators must be lists of equal length");
    }
    for (std::size_t i = 0; i < labels.size(); ++i) add_labels(names[i], {labels[i]});
  }

  void add_labels(std::string_view annotator, std::vector<std::string> labels) {
    for (std::string& label : labels) {
      label = class_text(label);
      chosen_.insert(label);
      if (classes_.empty() || known_.contains(label) || dropped_.has(label)) continue;
      answers_.fail(fmt::format("label {} is not among the classes of soft_label: {}",
                                excerpt(label), list_names(classes_)),
                    "where annotations are finer than the classes, ‹votes_field=soft_label› reads "
                    "the shares");
    }
    answers_.answer(annotator, labels);
  }

  std::vector<std::string> sorted_classes() const {
    std::vector<std::string> names = classes_;
    const bool numbers = std::ranges::all_of(
        names, [](const std::string& name) { return parse_number(name).has_value(); });
    if (numbers) {
      std::ranges::sort(names, {}, [](const std::string& name) { return *parse_number(name); });
    }
    return names;
  }

  static bool are_indices(const std::vector<std::string>& names) {
    for (std::size_t k = 0; k < names.size(); ++k) {
      if (names[k] != std::to_string(k)) return false;
    }
    return true;
  }

  LayoutAnswers& answers_;
  DroppedLabels dropped_;
  bool wants_shares_ = false, decimal_keys_ = false;
  std::vector<std::string> classes_;  // keys of soft_label, in the order met
  std::set<std::string, std::less<>> known_, chosen_;
};

bool fits_lewidi(dom::object record) {
  return has_key(record, "annotations") &&
         (has_key(record, kSoftLabel) || has_key(record, "number of annotations") ||
          has_key(record, "annotation task"));
}

std::unique_ptr<LayoutReader> open_lewidi(LayoutAnswers& answers) {
  return std::make_unique<LewidiReader>(answers);
}

}  // namespace

extern const JsonLayout kLewidiLayout{
    .name = "lewidi", .is_keyed = true, .fits = fits_lewidi, .open = open_lewidi};

}  // namespace credence::io
