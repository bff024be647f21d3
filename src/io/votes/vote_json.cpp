#include "io/votes/vote_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "credence/error.hpp"
#include "io/json/json_lines.hpp"
#include "io/votes/vote_forms.hpp"

namespace credence::io {
namespace {

namespace dom = simdjson::dom;

std::vector<std::string> keys(dom::object object) {
  std::vector<std::string> names;
  for (const auto field : object) names.emplace_back(field.key);
  return names;
}

/// The key for a role, by the usual names, that holds a string or number; "" when there is none.
std::string find_key(dom::object object, ColumnRole role) {
  std::vector<std::string> names;
  for (const auto field : object) {
    if (!field.value.is_object() && !field.value.is_array()) names.emplace_back(field.key);
  }
  const auto found = find_role(names, role);
  return found ? names[*found] : std::string();
}

// Fields whose numbers are labels, not counts.
constexpr std::string_view kLabelLists[] = {"annotations", "labels", "annotator_labels", "answers"};

/// Reads one record after another; the first decides what the field holds.
class Records {
 public:
  explicit Records(const VoteFile& file) : file_(file) {}

  void add(dom::object record, std::size_t line) {
    line_ = line;
    if (rows_ == 0 && answers_.answers() == 0) choose_fields(record);
    const dom::element value = required(record, field_);
    if (form_ == Form::undecided) form_ = form_of(value);
    if (form_ == Form::single) {
      add_single(record, value);
      return;
    }
    if (!id_field_.empty()) {
      ids_.push_back(json_id(required(record, id_field_), file_.path, line));
    }
    add_row(value);
    ++rows_;
  }

  RawVotes finish() {
    if (rows_ == 0 && answers_.answers() == 0) {
      throw Error(ErrorCode::data, file_.path + ": no votes");
    }
    if (form_ == Form::counts) return finish_counts();
    if (form_ == Form::single) return finish_single();
    answers_.set_rows(rows_);
    RawVotes raw = answers_.finish(file_, false, false, form_ == Form::counter);
    raw.table.annotators = 0;
    raw.table.ids = std::move(ids_);
    raw.table.form =
        fmt::format("JSON lines, field '{}': {}", field_,
                    form_ == Form::counter ? "counts by class name" : "lists of labels");
    return raw;
  }

 private:
  enum class Form { undecided, counts, counter, labels, single };

  [[noreturn]] void fail(const std::string& what, std::string hint = {}) const {
    throw Error(ErrorCode::data, fmt::format("{}:{}: {}", file_.path, line_, what),
                std::move(hint));
  }

  dom::element required(dom::object record, const std::string& key) const {
    dom::element value;
    if (record.at_key(key).get(value) == simdjson::SUCCESS) return value;
    fail(fmt::format("no field '{}' among {}", key, list_names(keys(record))));
  }

  void choose_fields(dom::object record) {
    id_field_ = !file_.id_field.empty() && has_key(record, file_.id_field)
                    ? file_.id_field
                    : find_key(record, ColumnRole::example);
    field_ = file_.votes_field;
    if (field_.empty() && !file_.labels_only) {
      for (const std::string_view usual : kVoteFields) {
        if (has_key(record, usual)) {
          field_ = usual;
          break;
        }
      }
    }
    annotator_field_ = find_key(record, ColumnRole::annotator);
    if (field_.empty()) field_ = find_key(record, ColumnRole::label);
    if (field_.empty()) {
      fail(fmt::format("no votes among the fields {}", list_names(keys(record))),
           "name the field that holds them with ‹votes_field›");
    }
    is_chaos_nli_ = field_ == "label_count" && id_field_ == "uid";
  }

  Form form_of(dom::element value) const {
    dom::array list;
    if (value.is_object()) {
      only_votes(value);
      return Form::counter;
    }
    if (value.get(list) != simdjson::SUCCESS) return Form::single;
    only_votes(value);
    if (std::ranges::find(kLabelLists, field_) != std::end(kLabelLists)) return Form::labels;
    for (const dom::element item : list) {
      return to_number(item) ? Form::counts : Form::labels;
    }
    return Form::counts;
  }

  void only_votes(dom::element value) const {
    if (!file_.labels_only) return;
    fail(fmt::format("field '{}' is {}; ‹labels› takes one label per example", field_,
                     json_type_name(value)),
         "give counts and lists of labels with ‹votes›");
  }

  void add_row(dom::element value) {
    answers_.set_row_line(rows_, line_);
    dom::array list;
    dom::object counter;
    const bool is_list = value.get(list) == simdjson::SUCCESS;
    if (form_ == Form::counter && value.get(counter) == simdjson::SUCCESS) {
      add_counter(counter);
    } else if (form_ == Form::counts && is_list) {
      add_counts(list);
    } else if (form_ == Form::labels && is_list) {
      add_labels(list);
    } else {
      fail(fmt::format("field '{}' is {}, unlike the records before", field_,
                       json_type_name(value)));
    }
  }

  double vote_count(dom::element value, std::string_view what) const {
    const auto number = to_number(value);
    if (number && *number >= 0.0) return *number;
    if (!number) fail(fmt::format("{}: vote count is {}", what, json_type_name(value)));
    fail(fmt::format("{}: vote count is {}; votes cannot be negative", what, *number));
  }

  void add_counter(dom::object counter) {
    for (const auto field : counter) {
      const double count =
          vote_count(field.value, fmt::format("field '{}', class '{}'", field_, field.key));
      // A count of 0 still tells that the class exists.
      answers_.add(static_cast<std::uint32_t>(rows_), AnswerRows::kNobody, field.key, line_, count);
    }
  }

  void add_counts(dom::array list) {
    const std::size_t length = list.size();
    if (rows_ == 0) {
      cols_ = length;
      const std::size_t expected =
          file_.classes.empty() ? file_.expected_classes : file_.classes.size();
      if (expected != 0 && cols_ != expected) {
        fail(fmt::format("field '{}' has {} numbers but there are {} classes", field_, cols_,
                         expected),
             "counts have one number per class; lists of labels go in a field named labels or "
             "annotations");
      }
    }
    if (length != cols_) {
      fail(fmt::format("field '{}' has {} numbers, the first record has {}", field_, length, cols_),
           "counts have one number per class; lists of labels go in a field named labels or "
           "annotations");
    }
    std::size_t k = 0;
    for (const dom::element item : list) {
      const auto number = to_number(item);
      if (!number)
        fail(fmt::format("field '{}', item {} is {}; a number is wanted", field_, k,
                         json_type_name(item)));
      matrix_.push(*number);
      ++k;
    }
    matrix_.end_row(line_);
  }

  void add_labels(dom::array list) {
    std::size_t k = 0;
    for (const dom::element item : list) {
      const auto label = to_label(item);
      if (!label) {
        fail(fmt::format("field '{}', item {} is {}; a label is wanted", field_, k,
                         json_type_name(item)));
      }
      if (!is_blank(*label)) {
        answers_.add(static_cast<std::uint32_t>(rows_), AnswerRows::kNobody, *label, line_);
      }
      ++k;
    }
  }

  // One label per record: an answer of a long table when there is an id, a row otherwise.
  void add_single(dom::object record, dom::element value) {
    const auto label = to_label(value);
    if (!label || is_blank(*label)) {
      fail(fmt::format("field '{}' is {}; a label is wanted", field_, json_type_name(value)));
    }
    std::uint32_t example = static_cast<std::uint32_t>(rows_++);
    std::uint32_t annotator = AnswerRows::kNobody;
    if (!id_field_.empty()) {
      example = answers_.example(json_id(required(record, id_field_), file_.path, line_));
    }
    if (!annotator_field_.empty() && !file_.labels_only) {
      if (id_field_.empty()) {
        fail(fmt::format("field '{}' names annotators but no field names the example",
                         annotator_field_),
             "name it with ‹id_field›");
      }
      annotator =
          answers_.annotator(json_id(required(record, annotator_field_), file_.path, line_));
    }
    answers_.add(example, annotator, *label, line_);
  }

  RawVotes finish_single() {
    if (id_field_.empty()) answers_.set_rows(rows_);
    RawVotes raw =
        answers_.finish(file_, file_.labels_only, file_.labels_only && !id_field_.empty());
    if (!id_field_.empty()) {
      raw.table.ids = answers_.example_ids();
      raw.table.gathered = true;
    }
    raw.table.form = fmt::format("JSON lines, field '{}': {}", field_,
                                 file_.labels_only ? "voted labels" : "one label per record");
    return raw;
  }

  RawVotes finish_counts() {
    RawVotes raw = matrix_.finish(cols_, file_.path);
    if (raw.table.votes.rows() == 0) throw to_error(raw.problems.front(), file_.path);
    raw.table.ids = std::move(ids_);
    raw.table.form = fmt::format("JSON lines, field '{}': {}", field_,
                                 raw.table.votes.are_shares() ? "shares" : "counts");
    raw.table.classes = file_.classes;
    if (file_.classes.empty() && is_chaos_nli_ && cols_ == 3) {
      raw.table.classes = {"e", "n", "c"};
      raw.table.notes.push_back("label_count is read in the order ChaosNLI publishes: e, n, c");
    }
    return raw;
  }

  const VoteFile& file_;
  std::string field_, id_field_, annotator_field_;
  Form form_ = Form::undecided;
  bool is_chaos_nli_ = false;
  std::size_t line_ = 0, rows_ = 0, cols_ = 0;
  std::vector<std::string> ids_;
  MatrixRows matrix_;
  AnswerRows answers_;
};

}  // namespace

RawVotes read_json_votes(const TextTwice& text, const VoteFile& file) {
  if (file.votes_field.empty() && holds_answers(text.lines())) return read_answers(text, file);
  JsonLines lines(text.lines());
  Records records(file);
  dom::object record;
  while (lines.next(record)) records.add(record, lines.line());
  return records.finish();
}

}  // namespace credence::io
