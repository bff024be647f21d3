// Examples that Prodigy writes, one line per answer. Of a choice, `accept` lists the options; of a
// yes-or-no question about one label, `answer` itself is the vote.
#include <fmt/format.h>

#include <set>

#include "io/json/json_lines.hpp"
#include "io/votes/published/json_layout.hpp"
#include "io/votes/vote_json.hpp"

namespace credence::io {
namespace {

namespace dom = simdjson::dom;

constexpr std::string_view kAccept = "accept", kReject = "reject", kIgnore = "ignore";

class ProdigyReader : public LayoutReader {
 public:
  explicit ProdigyReader(LayoutAnswers& answers) : answers_(answers) {}

  void read(dom::object record) override {
    const std::string answer = text_at(record, "answer");
    if (answer != kAccept && answer != kReject && answer != kIgnore) {
      answers_.fail(fmt::format("answer is {}; accept, reject or ignore is wanted",
                                answer.empty() ? "missing" : excerpt(answer)));
    }
    const auto choice = value_at(record, kAccept);
    const bool is_choice = choice.has_value() || has_key(record, "options");
    if (form_ == Form::undecided) form_ = is_choice ? Form::choice : Form::yes_or_no;
    if (is_choice != (form_ == Form::choice)) {
      answers_.fail(is_choice ? "a choice, unlike the records before"
                              : "no choice in 'accept', unlike the records before");
    }
    name_example(record);
    if (answer == kIgnore) {
      answers_.leave_out("ignored answer");
    } else if (form_ == Form::yes_or_no) {
      take_label(text_at(record, "label"));
      answers_.answer(annotator_of(record), answer);
    } else if (answer == kReject) {
      answers_.leave_out("rejected answer");
    } else {
      add_choice(record, choice);
    }
  }

  RawVotes finish() override {
    VoteFile file = answers_.file();
    if (form_ == Form::yes_or_no && file.classes.empty()) {
      file.classes = {std::string(kReject), std::string(kAccept)};
      answers_.note(fmt::format("the classes are reject and accept{}",
                                label_.empty() ? "" : fmt::format(" (of '{}')", label_)));
    }
    RawVotes raw = answers_.finish(
        file, form_ == Form::choice ? "Prodigy answers, options accepted" : "Prodigy answers");
    if (by_hash_) {
      raw.table.ids.clear();
      raw.table.notes.push_back(
          "the examples have no ids: those of one _input_hash belong together, in the order they "
          "first appear (‹id_field› names a field with ids, such as meta.id)");
    }
    return raw;
  }

 private:
  enum class Form { undecided, choice, yes_or_no };

  void name_example(dom::object record) {
    std::string name = answers_.id_of(record, {"id", "meta.id"});
    const bool by_hash = name.empty();
    if (by_hash) name = text_at(record, "_input_hash");
    if (name.empty()) {
      answers_.fail("neither an id nor an _input_hash tells which example this is",
                    "‹id_field› names the field with the id");
    }
    if (!any_) by_hash_ = by_hash;
    any_ = true;
    if (by_hash != by_hash_) answers_.fail("some records have an id, others have none");
    answers_.join_example(name);
  }

  static std::string annotator_of(dom::object record) {
    for (const std::string_view field : {"_annotator_id", "_session_id"}) {
      if (std::string name = text_at(record, field); !name.empty()) return name;
    }
    return {};
  }

  void add_choice(dom::object record, std::optional<dom::element> choice) {
    dom::array list;
    if (!choice || choice->get(list) != simdjson::SUCCESS) {
      answers_.fail(fmt::format("accept is {}; a list of options is wanted",
                                choice ? json_type_name(*choice) : "missing"));
    }
    std::vector<std::string> labels;
    for (const dom::element item : list) {
      const auto label = to_label(item);
      if (!label) {
        answers_.fail(fmt::format("accept holds {}; an option is wanted", json_type_name(item)));
      }
      labels.push_back(*label);
    }
    learn_options(record);
    if (labels.empty()) {
      answers_.leave_out("answer without an option");
      return;
    }
    answers_.answer(annotator_of(record), labels);
  }

  // Options that nobody chose are classes too.
  void learn_options(dom::object record) {
    const auto options = list_at(record, "options");
    if (!options) return;
    for (const dom::element item : *options) {
      dom::object option;
      if (item.get(option) != simdjson::SUCCESS) continue;
      const std::string id = text_at(option, "id");
      if (!id.empty() && options_.insert(id).second) answers_.know_class(id);
    }
  }

  // Who rejects one of several labels does not say which one is right.
  void take_label(const std::string& label) {
    if (!any_label_) label_ = label;
    any_label_ = true;
    if (label == label_) return;
    answers_.fail(fmt::format("accept and reject of more than one label: {} and {}",
                              excerpt(label_), excerpt(label)),
                  "keep the records of one label; for several classes, ask for a choice");
  }

  LayoutAnswers& answers_;
  Form form_ = Form::undecided;
  bool any_ = false, by_hash_ = false, any_label_ = false;
  std::string label_;
  std::set<std::string> options_;
};

bool fits_prodigy(dom::object record) {
  const std::string answer = text_at(record, "answer");
  const bool answered = answer == kAccept || answer == kReject || answer == kIgnore;
  return answered && (has_key(record, "_input_hash") || has_key(record, "_task_hash") ||
                      has_key(record, "_session_id") || has_key(record, "_annotator_id"));
}

std::unique_ptr<LayoutReader> open_prodigy(LayoutAnswers& answers) {
  return std::make_unique<ProdigyReader>(answers);
}

}  // namespace

extern const JsonLayout kProdigyLayout{
    .name = "prodigy", .fits = fits_prodigy, .open = open_prodigy};

}  // namespace credence::io
