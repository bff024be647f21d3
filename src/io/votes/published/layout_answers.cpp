#include "io/votes/published/layout_answers.hpp"

#include <fmt/format.h>

#include "credence/error.hpp"
#include "io/json/json_lines.hpp"
#include "io/text/delimited.hpp"
#include "io/votes/vote_json.hpp"

namespace credence::io {

namespace dom = simdjson::dom;

std::optional<dom::element> value_at(dom::object record, std::string_view path) {
  dom::element value;
  if (record.at_key(path).get(value) == simdjson::SUCCESS) {
    return value.is_null() ? std::nullopt : std::optional(value);
  }
  const std::size_t dot = path.find('.');
  if (dot == std::string_view::npos) return std::nullopt;
  const auto inner = object_at(record, path.substr(0, dot));
  return inner ? value_at(*inner, path.substr(dot + 1)) : std::nullopt;
}

std::optional<dom::object> object_at(dom::object record, std::string_view path) {
  dom::object object;
  const auto value = value_at(record, path);
  if (!value || value->get(object) != simdjson::SUCCESS) return std::nullopt;
  return object;
}

std::optional<dom::array> list_at(dom::object record, std::string_view path) {
  dom::array list;
  const auto value = value_at(record, path);
  if (!value || value->get(list) != simdjson::SUCCESS) return std::nullopt;
  return list;
}

std::string text_at(dom::object record, std::string_view path) {
  const auto value = value_at(record, path);
  return value ? to_label(*value).value_or("") : "";
}

std::vector<std::string> split_at_commas(std::string_view text) {
  std::vector<std::string> cells;
  for (;;) {
    const std::size_t comma = text.find(',');
    cells.emplace_back(trim(text.substr(0, comma)));
    if (comma == std::string_view::npos) return cells;
    text.remove_prefix(comma + 1);
  }
}

std::string counted(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

void LayoutAnswers::fail(const std::string& what, std::string hint) const {
  const std::string place = key_.empty() ? fmt::format("{}:{}", file_.path, line_)
                                         : fmt::format("{}: item {}", file_.path, excerpt(key_));
  throw Error(ErrorCode::data, fmt::format("{}: {}", place, what), std::move(hint));
}

std::string LayoutAnswers::id_of(dom::object record,
                                 std::initializer_list<std::string_view> fields) {
  if (!file_.id_field.empty()) {
    if (const auto value = value_at(record, file_.id_field)) {
      return json_id(*value, file_.path, line_);
    }
  }
  if (!key_.empty()) return key_;
  for (const std::string_view field : fields) {
    const auto value = value_at(record, field);
    if (value && !value->is_object() && !value->is_array()) {
      return json_id(*value, file_.path, line_);
    }
  }
  return {};
}

void LayoutAnswers::start_example(std::string id) {
  if (id.empty() != ids_.empty() && records_ != 0) {
    fail(id.empty() ? "no id, unlike the records before" : "an id, unlike the records before",
         "give every record one; ‹id_field› names the field");
  }
  if (!id.empty()) ids_.push_back(std::move(id));
  row_ = static_cast<std::uint32_t>(records_++);
  answers_.set_rows(records_);
  answers_.set_row_line(row_, line_);
}

void LayoutAnswers::answer(std::string_view annotator, std::string_view label, double weight) {
  const std::uint32_t who = annotator.empty() ? AnswerRows::kNobody : answers_.annotator(annotator);
  answers_.add(row_, who, label, line_, weight);
}

void LayoutAnswers::answer(std::string_view annotator, const std::vector<std::string>& labels) {
  if (labels.size() > 1) ++shared_votes_;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (is_blank(labels[i])) fail("a blank label", "remove it, or write the label");
    answer(i == 0 ? annotator : std::string_view{}, labels[i],
           1.0 / static_cast<double>(labels.size()));
  }
}

RawVotes LayoutAnswers::finish(const VoteFile& file, std::string form) {
  if (records_ == 0 && answers_.examples() == 0) {
    throw Error(ErrorCode::data, fmt::format("{}: no answers that count", file.path));
  }
  RawVotes raw = answers_.finish(file, file.labels_only, false);
  raw.table.form = std::move(form);
  raw.table.ids = records_ == 0 ? answers_.example_ids() : std::move(ids_);
  raw.table.gathered = records_ == 0;
  if (shared_votes_ != 0) {
    notes_.push_back(fmt::format("{} with several labels: the vote is shared evenly among them",
                                 counted(shared_votes_, "answer")));
  }
  for (const auto& [what, count] : left_out_) {
    notes_.push_back(fmt::format("{} left out", counted(count, what)));
  }
  raw.table.notes.insert(raw.table.notes.end(), notes_.begin(), notes_.end());
  return raw;
}

}  // namespace credence::io
