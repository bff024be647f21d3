// Records of Argilla. Answers to a question stand in one of four places: `responses` as a list with
// `values` by question, or as an object of question and list; a column of the question's name
// that lists {value, user_id, status}; or columns question.responses, .responses.users and
// .responses.status. Only submitted answers count.
#include <fmt/format.h>

#include <algorithm>

#include "io/json/json_lines.hpp"
#include "io/votes/published/json_layout.hpp"
#include "io/votes/vote_json.hpp"

namespace credence::io {
namespace {

namespace dom = simdjson::dom;

constexpr std::string_view kResponses = "responses", kColumnEnd = ".responses";

/// {value, user_id, status}, as a column of responses lists them.
bool lists_responses(dom::element value) {
  dom::array list;
  if (value.get(list) != simdjson::SUCCESS) return false;
  for (const dom::element item : list) {
    dom::object response;
    return item.get(response) == simdjson::SUCCESS && has_key(response, "value") &&
           has_key(response, "user_id");
  }
  return false;
}

class ArgillaReader : public LayoutReader {
 public:
  explicit ArgillaReader(LayoutAnswers& answers)
      : answers_(answers), question_(answers.file().votes_field) {}

  void read(dom::object record) override {
    answers_.start_example(answers_.id_of(record, {"external_id", "id", "_id"}));
    if (const auto responses = value_at(record, kResponses)) {
      read_responses(*responses);
      return;
    }
    for (const auto field : record) {
      const std::string_view key = field.key;
      if (key.ends_with(kColumnEnd)) {
        const std::string_view question = key.substr(0, key.size() - kColumnEnd.size());
        if (is_asked(question)) read_columns(record, question, field.value);
      } else if (lists_responses(field.value) && is_asked(key)) {
        read_list(field.value);
      }
    }
  }

  RawVotes finish() override {
    if (without_status_ != 0) {
      answers_.note(fmt::format("{} have no status and count as submitted",
                                counted(without_status_, "response")));
    }
    return answers_.finish(answers_.file(), fmt::format("Argilla records, question '{}', submitted "
                                                        "responses",
                                                        question_));
  }

 private:
  // Which question was meant cannot be guessed once there are two.
  bool is_asked(std::string_view question) {
    if (!answers_.file().votes_field.empty()) return question == question_;
    if (question_.empty()) question_ = question;
    if (question == question_) return true;
    answers_.fail(fmt::format("more than one question: '{}' and '{}'", question_, question),
                  "name the one that is meant with ‹votes_field›");
  }

  void read_responses(dom::element responses) {
    dom::array list;
    dom::object by_question;
    if (responses.get(list) == simdjson::SUCCESS) {
      for (const dom::element item : list) read_user(item);
    } else if (responses.get(by_question) == simdjson::SUCCESS) {
      for (const auto field : by_question) {
        if (is_asked(field.key)) read_list(field.value);
      }
    } else {
      answers_.fail(fmt::format("responses is {}; a list, or an object of questions, is wanted",
                                json_type_name(responses)));
    }
  }

  // {"values": {question: {"value": ...}}, "status": ..., "user_id": ...}
  void read_user(dom::element item) {
    dom::object response;
    if (item.get(response) != simdjson::SUCCESS) {
      answers_.fail(fmt::format("a response is {}; an object is wanted", json_type_name(item)));
    }
    const auto values = object_at(response, "values");
    if (!values) {
      if (counts(response)) answers_.leave_out("response without values");
      return;
    }
    for (const auto field : *values) {
      if (!is_asked(field.key) || !counts(response)) continue;
      dom::object wrapped;
      dom::element value = field.value;
      if (value.get(wrapped) == simdjson::SUCCESS) {
        const auto inner = value_at(wrapped, "value");
        if (!inner) continue;
        value = *inner;
      }
      add(text_at(response, "user_id"), value);
    }
  }

  void read_list(dom::element value) {
    dom::array list;
    if (value.is_null()) return;
    if (value.get(list) != simdjson::SUCCESS) {
      answers_.fail(fmt::format("question '{}' has {}; a list of responses is wanted", question_,
                                json_type_name(value)));
    }
    for (const dom::element item : list) {
      dom::object response;
      if (item.get(response) != simdjson::SUCCESS) {
        answers_.fail(fmt::format("a response is {}; an object is wanted", json_type_name(item)));
      }
      const auto given = value_at(response, "value");
      if (given && counts(response)) add(text_at(response, "user_id"), *given);
    }
  }

  void read_columns(dom::object record, std::string_view question, dom::element value) {
    dom::array list;
    if (value.is_null()) return;
    if (value.get(list) != simdjson::SUCCESS) {
      answers_.fail(
          fmt::format("'{}.responses' is {}; a list is wanted", question, json_type_name(value)));
    }
    const auto users = list_at(record, fmt::format("{}.responses.users", question));
    const auto states = list_at(record, fmt::format("{}.responses.status", question));
    for (const auto& other : {users, states}) {
      if (!other || other->size() == list.size()) continue;
      answers_.fail(fmt::format("'{}.responses' has {} items, its users or states {}", question,
                                list.size(), other->size()));
    }
    std::size_t i = 0;
    for (const dom::element item : list) {
      const std::string user = users ? to_label(users->at(i)).value_or("") : "";
      const std::string status = states ? to_label(states->at(i)).value_or("") : "";
      ++i;
      if (!item.is_null() && is_submitted(status)) add(user, item);
    }
  }

  bool counts(dom::object response) { return is_submitted(text_at(response, "status")); }

  bool is_submitted(const std::string& status) {
    if (status.empty()) ++without_status_;
    if (status.empty() || status == "submitted") return true;
    answers_.leave_out(fmt::format("'{}' response", status));
    return false;
  }

  void add(const std::string& user, dom::element value) {
    std::vector<std::string> labels;
    dom::array several;
    if (value.get(several) == simdjson::SUCCESS) {
      for (const dom::element item : several) labels.push_back(label(item));
    } else {
      labels.push_back(label(value));
    }
    answers_.answer(user, labels);
  }

  std::string label(dom::element value) const {
    const auto text = to_label(value);
    if (text) return *text;
    answers_.fail(fmt::format("question '{}': the value is {}; a label is wanted", question_,
                              json_type_name(value)),
                  "rankings and spans are no labels; ‹votes_field› names another question");
  }

  LayoutAnswers& answers_;
  std::string question_;
  std::size_t without_status_ = 0;
};

bool fits_argilla(dom::object record) {
  const auto responses = value_at(record, kResponses);
  dom::array list;
  dom::object by_question;
  if (responses && responses->get(by_question) == simdjson::SUCCESS) {
    return has_key(record, "fields") || std::ranges::any_of(by_question, [](const auto& field) {
             return lists_responses(field.value);
           });
  }
  if (responses && responses->get(list) == simdjson::SUCCESS) {
    for (const dom::element item : list) {
      dom::object response;
      return item.get(response) == simdjson::SUCCESS && has_key(response, "values");
    }
    return has_key(record, "fields");
  }
  return std::ranges::any_of(record, [](const auto& field) {
    return field.key.ends_with(kColumnEnd) || lists_responses(field.value);
  });
}

std::unique_ptr<LayoutReader> open_argilla(LayoutAnswers& answers) {
  return std::make_unique<ArgillaReader>(answers);
}

}  // namespace

extern const JsonLayout kArgillaLayout{
    .name = "argilla", .fits = fits_argilla, .open = open_argilla};

}  // namespace credence::io
