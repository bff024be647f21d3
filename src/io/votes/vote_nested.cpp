#include "io/votes/vote_nested.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "credence/error.hpp"
#include "io/scores/score_reader.hpp"
#include "io/votes/vote_forms.hpp"

namespace credence::io {
namespace {

enum class NestedForm { counts, labels, records, columns, counter, fields };

std::vector<std::string> field_names(const ArrowSchema& structure) {
  std::vector<std::string> names;
  for (std::int64_t i = 0; i < structure.n_children; ++i) {
    names.emplace_back(structure.children[i]->name);
  }
  return names;
}

ArrowKind kind_of(const ArrowSchema& schema) {
  const auto type = value_type(schema);
  return type ? type->kind : ArrowKind::nothing;
}

bool names_labels(const std::string& column) {
  return std::ranges::find(kLabelLists, fold_name(column)) != std::end(kLabelLists);
}

/// What a column of this type holds; nothing where it cannot be votes.
std::optional<NestedForm> nested_form(const ArrowField& field, const VoteFile& file) {
  const ArrowSchema& schema = *field.schema;
  const ArrowKind kind = kind_of(schema);
  if (kind == ArrowKind::map) {
    const ArrowSchema& pair = *schema.children[0];
    const bool usable = holds_cells(*pair.children[0]) && holds_numbers(*pair.children[1]);
    return usable ? std::optional(NestedForm::counter) : std::nullopt;
  }
  if (kind == ArrowKind::structure) {
    const auto label = find_role(field_names(schema), ColumnRole::label);
    if (label && is_list(kind_of(*schema.children[*label]))) return NestedForm::columns;
    for (std::int64_t i = 0; i < schema.n_children; ++i) {
      if (!holds_numbers(*schema.children[i])) return std::nullopt;
    }
    return NestedForm::fields;
  }
  if (!is_list(kind)) return std::nullopt;
  const ArrowSchema& item = *schema.children[0];
  if (kind_of(item) == ArrowKind::structure) {
    const bool usable = find_role(field_names(item), ColumnRole::label).has_value();
    return usable ? std::optional(NestedForm::records) : std::nullopt;
  }
  if (!holds_cells(item)) return std::nullopt;
  if (!holds_numbers(item) || item.dictionary != nullptr) return NestedForm::labels;
  if (!file.format.empty()) {
    return file.format == kAnnotatorsFormat ? NestedForm::labels : NestedForm::counts;
  }
  return names_labels(field.name) ? NestedForm::labels : NestedForm::counts;
}

std::string id_among(const std::vector<std::string>& cells, const VoteFile& file) {
  if (!file.id_field.empty()) {
    if (const auto found = find_name(cells, file.id_field)) return cells[*found];
  }
  // As for scores; a row is an example, so what else tells examples of a long table apart ("text")
  // need not.
  for (const std::string_view name : kIdNames) {
    if (const auto found = find_name(cells, name)) return cells[*found];
  }
  return {};
}

class NestedVotes final : public VotePieces {
 public:
  NestedVotes(std::unique_ptr<ArrowBatches> batches, const NestedChoice& choice,
              const VoteFile& file)
      : cursor_(std::move(batches)), name_(choice.votes), file_(file) {
    const std::vector<ArrowField>& fields = cursor_.fields();
    votes_ = find_field(fields, choice.votes);
    id_ = choice.id.empty() ? fields.size() : find_field(fields, choice.id);
    annotators_ = choice.annotators.empty() ? fields.size() : find_field(fields, choice.annotators);
    form_ = *nested_form(fields[votes_], file);
    if (!file.labels_only) return;
    throw Error(ErrorCode::data,
                fmt::format("{}: column '{}' holds several values; ‹labels› takes one label per "
                            "example",
                            file.path, name_),
                "give counts and lists of labels with ‹votes›");
  }

  RawVotes read(std::size_t most) override {
    MatrixRows matrix;
    AnswerRows answers(file_);
    std::vector<std::string> ids;
    rows_ = 0;
    while (rows_ < most && cursor_.ahead() != 0) {
      const ArrowColumn votes = cursor_.column(votes_);
      const std::size_t count = std::min(most - rows_, cursor_.ahead());
      if (id_ != cursor_.fields().size()) read_ids(count, ids);
      for (std::size_t i = 0; i < count; ++i) {
        if (form_ == NestedForm::counts) {
          add_counts(votes, matrix);
        } else if (!votes.is_null(cursor_.at())) {
          add_answers(votes, answers);
        }
        cursor_.advance(1);
        ++rows_;
      }
    }
    if (rows_ == 0) return {};
    RawVotes raw;
    if (form_ == NestedForm::counts) {
      raw = finish_counts(matrix);
    } else {
      answers.set_rows(rows_);
      raw = answers.finish(file_, false, false, false);
      raw.table.form = fmt::format("column '{}': {}", name_, words());
    }
    raw.table.ids = std::move(ids);
    return raw;
  }

 private:
  std::string_view words() const {
    const bool counted = form_ == NestedForm::counter || form_ == NestedForm::fields;
    return counted ? "counts by class name" : "lists of labels";
  }

  [[noreturn]] void refuse_votes(const std::string& what, std::string hint = {}) const {
    throw Error(ErrorCode::data,
                fmt::format("{}: column '{}' {}", cursor_.place(cursor_.row()), name_, what),
                std::move(hint));
  }

  void read_ids(std::size_t count, std::vector<std::string>& ids) const {
    const ArrowColumn column = cursor_.column(id_);
    std::string buffer;
    for (std::size_t i = 0; i < count; ++i) {
      ids.emplace_back(column.text(cursor_.at() + i, buffer));
      if (!is_blank(ids.back())) continue;
      throw Error(ErrorCode::data,
                  fmt::format("{}: column '{}' is null; every row needs its id",
                              cursor_.place(cursor_.row() + i), cursor_.fields()[id_].name));
    }
  }

  // A row without a list is one without votes, which may be left out later.
  void add_counts(const ArrowColumn& votes, MatrixRows& matrix) {
    if (!votes.is_null(cursor_.at())) {
      const ArrowColumn::Range items = votes.items(cursor_.at());
      check_length(items.count);
      const ArrowColumn values = votes.child(0);
      counts_.resize(items.count);
      values.numbers(items.first, items.count, counts_.data());
      for (std::size_t k = 0; k < counts_.size(); ++k) {
        if (std::isnan(counts_[k]) && values.is_null(items.first + k)) {
          refuse_votes(fmt::format("is null at item {}; a count is wanted", k));
        }
        matrix.push(counts_[k]);
      }
    }
    matrix.end_row(0);
  }

  void check_length(std::size_t length) {
    constexpr std::string_view kCountsHint =
        "counts have one number per class; lists of labels go in a column named labels or "
        "annotations, or need ‹votes_format=annotators›";
    if (cols_ == 0) {
      cols_ = length;
      const std::size_t expected =
          file_.classes.empty() ? file_.expected_classes : file_.classes.size();
      if (expected != 0 && length != expected) {
        refuse_votes(fmt::format("lists {} numbers but there are {} classes", length, expected),
                     std::string(kCountsHint));
      }
      if (length == 0) refuse_votes("is an empty list", std::string(kCountsHint));
    }
    if (length != cols_) {
      refuse_votes(fmt::format("lists {} numbers, the rows before list {}", length, cols_),
                   std::string(kCountsHint));
    }
  }

  void add_answers(const ArrowColumn& votes, AnswerRows& answers) {
    const std::size_t at = cursor_.at();
    switch (form_) {
      case NestedForm::counter: {
        const ArrowColumn pairs = votes.child(0), names = pairs.child(0), counts = pairs.child(1);
        const ArrowColumn::Range items = votes.items(at);
        for (std::size_t i = items.first; i < items.first + items.count; ++i) {
          add_count(names.text(i, label_), counts, i, answers);
        }
        return;
      }
      case NestedForm::fields:
        for (std::size_t k = 0; k < votes.children(); ++k) {
          const ArrowColumn field = votes.child(k);
          // Every row has every field; that of a class nobody chose is null.
          const double count = field.is_null(at) ? 0.0 : checked_count(field.number(at));
          add_label(answers, field.schema().name, AnswerRows::kNobody, count);
        }
        return;
      case NestedForm::records:
        add_records(votes, votes.items(at), answers);
        return;
      case NestedForm::columns: {
        const std::vector<std::string> names = field_names(votes.schema());
        const auto annotator = find_role(names, ColumnRole::annotator);
        const ArrowColumn labels = votes.child(*find_role(names, ColumnRole::label));
        std::optional<ArrowColumn> who;
        if (annotator && is_list(kind_of(*votes.schema().children[*annotator]))) {
          who = votes.child(*annotator);
        }
        if (!labels.is_null(at)) add_list(labels, who, answers);
        return;
      }
      default: {
        std::optional<ArrowColumn> who;
        if (annotators_ != cursor_.fields().size()) who = cursor_.column(annotators_);
        add_list(votes, who, answers);
      }
    }
  }

  void add_records(const ArrowColumn& votes, ArrowColumn::Range items, AnswerRows& answers) {
    const ArrowColumn records = votes.child(0);
    const std::vector<std::string> names = field_names(records.schema());
    const auto annotator = find_role(names, ColumnRole::annotator);
    const auto count = find_role(names, ColumnRole::count);
    const ArrowColumn labels = records.child(*find_role(names, ColumnRole::label));
    for (std::size_t i = items.first; i < items.first + items.count; ++i) {
      const std::string_view label = labels.text(i, label_);
      if (is_blank(label)) continue;
      double weight = 1.0;
      if (count && holds_numbers(*records.schema().children[*count])) {
        weight = checked_count(records.child(*count).number(i));
      }
      std::uint32_t who = AnswerRows::kNobody;
      if (annotator) who = annotator_of(records.child(*annotator), i, answers);
      add_label(answers, label, who, weight);
    }
  }

  void add_list(const ArrowColumn& labels, const std::optional<ArrowColumn>& who,
                AnswerRows& answers) {
    const ArrowColumn::Range items = labels.items(cursor_.at());
    const ArrowColumn texts = labels.child(0);
    ArrowColumn::Range people;
    if (who && !who->is_null(cursor_.at())) {
      people = who->items(cursor_.at());
      if (people.count != items.count) {
        refuse_votes(
            fmt::format("lists {} labels but there are {} annotators", items.count, people.count));
      }
    }
    const bool gaps = file_.format == kAnnotatorsFormat;
    for (std::size_t i = 0; i < items.count; ++i) {
      const std::string_view label = texts.text(items.first + i, label_);
      if (is_blank(label) || (gaps && label == kMissingLabel)) continue;
      add_label(answers, label,
                people.count == 0 ? AnswerRows::kNobody
                                  : annotator_of(who->child(0), people.first + i, answers),
                1.0);
    }
  }

  std::uint32_t annotator_of(const ArrowColumn& names, std::size_t at, AnswerRows& answers) {
    const std::string_view name = names.text(at, annotator_);
    return name.empty() ? AnswerRows::kNobody : answers.annotator(name);
  }

  void add_count(std::string_view label, const ArrowColumn& counts, std::size_t at,
                 AnswerRows& answers) {
    if (is_blank(label)) refuse_votes("counts a class without a name");
    // A count of 0 still tells that the class exists.
    add_label(answers, label, AnswerRows::kNobody, checked_count(counts.number(at)));
  }

  double checked_count(double count) const {
    if (count >= 0.0 && std::isfinite(count)) return count;
    refuse_votes(std::isnan(count)
                     ? std::string("has a count that is null or not a number")
                     : fmt::format("has the count {}; a number from 0 up is wanted", count));
  }

  void add_label(AnswerRows& answers, std::string_view label, std::uint32_t annotator,
                 double weight) const {
    answers.add(static_cast<std::uint32_t>(rows_), annotator, label, cursor_.row() + 1, weight);
  }

  RawVotes finish_counts(MatrixRows& matrix) const {
    if (!file_.drop_labels.empty()) {
      throw Error(
          ErrorCode::data,
          fmt::format("{}: ‹drop_labels› finds no labels in column '{}', which holds counts",
                      file_.path, name_),
          "if it lists labels, say ‹votes_format=annotators›");
    }
    if (cols_ == 0) refuse_votes("is null in every row");
    RawVotes raw = matrix.finish(cols_, file_.path);
    raw.table.form = raw.table.votes.are_shares() ? "matrix of shares" : "count matrix";
    if (file_.classes.size() == cols_) raw.table.classes = file_.classes;
    return raw;
  }

  ArrowCursor cursor_;
  std::string name_;
  VoteFile file_;
  NestedForm form_ = NestedForm::counts;
  std::size_t votes_ = 0, id_ = 0, annotators_ = 0;
  std::size_t rows_ = 0, cols_ = 0;
  std::vector<double> counts_;
  std::string label_, annotator_;
};

std::string annotators_beside(const std::vector<ArrowField>& fields, const std::string& votes) {
  for (const std::string_view usual : kAnnotatorLists) {
    const std::size_t found = find_field(fields, std::string(usual));
    if (found == fields.size() || fields[found].name == votes) continue;
    const ArrowSchema& schema = *fields[found].schema;
    if (is_list(kind_of(schema)) && holds_cells(*schema.children[0])) return fields[found].name;
  }
  return {};
}

}  // namespace

std::optional<NestedChoice> choose_nested_votes(const std::vector<ArrowField>& fields,
                                                const VoteFile& file) {
  const std::vector<std::string> cells = names_of(fields, false), nested = names_of(fields, true);
  const auto choose = [&](std::size_t field) {
    NestedChoice choice{.votes = fields[field].name, .id = id_among(cells, file), .annotators = {}};
    choice.annotators = annotators_beside(fields, choice.votes);
    return choice;
  };
  if (!file.votes_field.empty()) {
    const std::size_t found = find_field(fields, file.votes_field);
    if (found == fields.size()) {
      throw Error(ErrorCode::data,
                  fmt::format("{}: no column named '{}'", file.path, file.votes_field),
                  fmt::format("the columns are: {}, {}", list_names(cells), list_names(nested)));
    }
    if (holds_cells(*fields[found].schema)) return std::nullopt;
    if (nested_form(fields[found], file)) return choose(found);
    throw Error(ErrorCode::data,
                fmt::format("{}: column '{}' holds no votes (Arrow type '{}')", file.path,
                            file.votes_field, fields[found].schema->format),
                "votes are lists of counts or labels, lists of structures with a label, or maps "
                "from class to count");
  }
  if (file.labels_only) return std::nullopt;
  std::vector<std::size_t> usable;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (!holds_cells(*fields[i].schema) && nested_form(fields[i], file)) usable.push_back(i);
  }
  for (const std::string_view usual : kVoteFields) {
    for (const std::size_t i : usable) {
      if (fold_name(fields[i].name) == usual) return choose(i);
    }
  }
  if (usable.size() == 1 && !find_long_columns(cells, file)) return choose(usable[0]);
  for (const std::size_t i : usable) {
    if (fold_name(fields[i].name) == "annotators") return choose(i);
  }
  return std::nullopt;
}

std::unique_ptr<VotePieces> open_nested_votes(std::unique_ptr<ArrowBatches> batches,
                                              const NestedChoice& choice, const VoteFile& file) {
  return std::make_unique<NestedVotes>(std::move(batches), choice, file);
}

}  // namespace credence::io
