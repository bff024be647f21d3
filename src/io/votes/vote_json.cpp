#include "io/votes/vote_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "credence/error.hpp"
#include "io/json/json_lines.hpp"
#include "io/votes/published/json_layout.hpp"
#include "io/votes/vote_forms.hpp"
#include "io/votes/vote_lists.hpp"

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

constexpr std::string_view kListHint =
    "counts have one number per class; lists of labels go in a field named labels or annotations, "
    "or need ‹votes_format=annotators›";

/// Reads one record after another; the first decides what the field holds.
class Records {
 public:
  explicit Records(const VoteFile& file) : file_(file), answers_(file) {}

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
    add_row(value, record);
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
    dom::element annotators;
    if (field_.empty() && record.at_key("annotators").get(annotators) == simdjson::SUCCESS &&
        (is_object_of_lists(annotators) || is_list_of_objects(annotators))) {
      field_ = "annotators";
    }
    if (field_.empty()) field_ = find_key(record, ColumnRole::label);
    if (field_.empty()) {
      fail(fmt::format("no votes among the fields {}", list_names(keys(record))),
           "name the field that holds them with ‹votes_field›");
    }
    prefer_id(record);
    annotator_list_ = annotator_list_of(record, field_);
    is_chaos_nli_ = field_ == "label_count" && id_field_ == "uid";
  }

  // In a long table "id" may number the lines, and "text" tell the examples apart. Where a record
  // is an example, it is the other way round.
  void prefer_id(dom::object record) {
    static constexpr std::string_view kContents[] = {"text", "document", "doc", "question", "name"};
    dom::element votes, id;
    const bool is_example = record.at_key(field_).get(votes) == simdjson::SUCCESS &&
                            (votes.is_array() || votes.is_object());
    if (!is_example || id_field_ == file_.id_field) return;
    if (record.at_key("id").get(id) != simdjson::SUCCESS) return;
    const bool is_content =
        std::ranges::find(kContents, fold_name(id_field_)) != std::end(kContents);
    if (is_content && !id.is_array() && !id.is_object() && !id.is_null()) id_field_ = "id";
  }

  Form form_of(dom::element value) const {
    dom::array list;
    if (value.is_object()) {
      only_votes(value);
      return is_object_of_lists(value) ? Form::labels : Form::counter;
    }
    if (value.get(list) != simdjson::SUCCESS) return Form::single;
    only_votes(value);
    if (!file_.format.empty()) {
      return file_.format == kAnnotatorsFormat ? Form::labels : Form::counts;
    }
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

  void add_row(dom::element value, dom::object record) {
    answers_.set_row_line(rows_, line_);
    dom::array list;
    dom::object counter;
    const bool is_list = value.get(list) == simdjson::SUCCESS;
    if (form_ == Form::counter && value.get(counter) == simdjson::SUCCESS) {
      add_counter(counter);
    } else if (form_ == Form::counts && is_list) {
      add_counts(list);
    } else if (form_ == Form::labels) {
      add_labels(value, record);
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
             std::string(kListHint));
      }
    }
    if (length != cols_) {
      fail(fmt::format("field '{}' has {} numbers, the first record has {}", field_, length, cols_),
           std::string(kListHint));
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

  void add_labels(dom::element value, dom::object record) {
    const ListedLabels listed = read_listed_labels(value, record, annotator_list_);
    if (!listed.problem.empty()) fail(fmt::format("field '{}': {}", field_, listed.problem));
    for (std::size_t k = 0; k < listed.labels.size(); ++k) {
      if (is_blank(listed.labels[k])) continue;
      const bool named = !listed.annotators.empty() && !listed.annotators[k].empty();
      answers_.add(static_cast<std::uint32_t>(rows_),
                   named ? answers_.annotator(listed.annotators[k]) : AnswerRows::kNobody,
                   listed.labels[k], line_);
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
                                 file_.labels_only ? "majority labels" : "one label per record");
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
  std::string field_, id_field_, annotator_field_, annotator_list_;
  Form form_ = Form::undecided;
  bool is_chaos_nli_ = false;
  std::size_t line_ = 0, rows_ = 0, cols_ = 0;
  std::vector<std::string> ids_;
  MatrixRows matrix_;
  AnswerRows answers_;
};

}  // namespace

RawVotes read_json_votes(const TextTwice& text, const VoteFile& file) {
  if (auto published = read_published_json(text, file)) return std::move(*published);
  if (file.votes_field.empty() && holds_answers(text.lines())) return read_answers(text, file);
  JsonLines lines(text.lines());
  Records records(file);
  dom::object record;
  while (lines.next(record)) records.add(record, lines.line());
  return records.finish();
}

}  // namespace credence::io
