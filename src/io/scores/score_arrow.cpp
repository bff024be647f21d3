#include "io/scores/score_arrow.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "credence/error.hpp"
#include "io/scores/score_columns.hpp"
#include "io/scores/score_memory.hpp"
#include "io/scores/score_reader.hpp"
#include "io/votes/vote_names.hpp"

namespace credence::io {
namespace {

std::vector<std::string> all_names(const std::vector<ArrowField>& fields) {
  std::vector<std::string> names;
  for (const ArrowField& field : fields) names.push_back(field.name);
  return names;
}

bool lists_numbers(const ArrowSchema& schema) {
  const auto type = value_type(schema);
  return type && is_list(type->kind) && holds_numbers(*schema.children[0]);
}

/// Whole numbers in a list may be votes or tokens; scores are seldom whole.
bool lists_fractions(const ArrowSchema& schema) {
  if (!lists_numbers(schema)) return false;
  const auto item = value_type(*schema.children[0]);
  return item->kind == ArrowKind::number && is_floating(item->number);
}

void take_named(const ArrowField& field, const std::string& path, ScoreChoice& choice) {
  choice.columns = {field.name};
  choice.are_lists = lists_numbers(*field.schema);
  if (choice.are_lists || holds_numbers(*field.schema)) return;
  throw Error(ErrorCode::data,
              fmt::format("{}: column {} holds neither numbers nor lists of numbers (Arrow type "
                          "'{}')",
                          path, excerpt(field.name), field.schema->format),
              "name the column with the scores");
}

/// False when no column of lists is meant.
bool take_lists(const std::vector<ArrowField>& fields, const ScoreFile& file, ScoreChoice& choice) {
  for (const std::string_view usual : usual_score_fields(file.kind)) {
    const std::size_t found = find_field(fields, std::string(usual));
    if (found == fields.size() || !lists_numbers(*fields[found].schema)) continue;
    take_named(fields[found], file.path, choice);
    return true;
  }
  std::vector<std::string> lists;
  for (const ArrowField& field : fields) {
    if (lists_fractions(*field.schema) && !is_vote_field(field.name)) lists.push_back(field.name);
  }
  if (lists.empty()) return false;
  if (lists.size() > 1) {
    throw Error(
        ErrorCode::usage,
        fmt::format("{}: several columns hold lists of numbers: {}", file.path, list_names(lists)),
        "name the one with the scores: FILE:COLUMN, or ‹scores_field›");
  }
  choice.columns = std::move(lists);
  choice.are_lists = true;
  return true;
}

void take_columns(const std::vector<ArrowField>& fields, const std::vector<std::string>& cells,
                  const std::string& path, ScoreChoice& choice) {
  choice.index_beside =
      choice.has_id &&
      has_index_beside(
          cells, static_cast<std::size_t>(std::ranges::find(cells, choice.id) - cells.begin()));
  for (const ArrowField& field : fields) {
    if (!holds_cells(*field.schema) || (choice.has_id && field.name == choice.id)) continue;
    if (choice.index_beside && field.name == cells[0]) continue;
    if (!holds_numbers(*field.schema) || field.schema->dictionary != nullptr) {
      throw Error(
          ErrorCode::data, fmt::format("{}: column {} holds no numbers", path, excerpt(field.name)),
          choice.has_id ? "every column but the id must hold scores; name a column of lists with "
                          "FILE:COLUMN"
                        : "every column must hold scores; name the column of ids with ‹id_field›");
    }
    choice.columns.push_back(field.name);
  }
  if (choice.columns.empty()) {
    throw Error(ErrorCode::format, path + ": no columns of scores besides the id",
                fmt::format("the columns are: {}", list_names(all_names(fields))));
  }
}

class ArrowScores final : public ScoreReader {
 public:
  ArrowScores(std::unique_ptr<ArrowBatches> batches, ScoreChoice choice,
              std::optional<std::size_t> rows, const std::vector<std::string>* ids)
      : cursor_(std::move(batches)), choice_(std::move(choice)), rows_(rows), given_ids_(ids) {
    for (const std::string& name : choice_.columns) {
      columns_.push_back(find_field(cursor_.fields(), name));
    }
    if (choice_.has_id) id_column_ = find_field(cursor_.fields(), choice_.id);
    cols_ = columns_.size();
    if (choice_.are_lists) {
      measure_lists();
    } else {
      const std::vector<std::string_view> names(choice_.columns.begin(), choice_.columns.end());
      if (!are_positions(names)) classes_ = choice_.columns;
    }
  }
  std::size_t cols() const override { return cols_; }
  std::optional<std::size_t> rows() const override { return rows_; }
  const std::vector<std::string>& classes() const override { return classes_; }
  bool has_ids() const override { return choice_.has_id || has_given_ids(); }
  bool ids_are_unnamed() const override {
    return choice_.has_id && !has_given_ids() && is_index_name(choice_.id);
  }
  std::vector<std::string> notes() const override {
    if (!choice_.index_beside) return {};
    return {index_note("the table")};
  }

  std::size_t read(MatrixView<double> out, std::vector<std::string>* ids) override {
    if (ids != nullptr) ids->clear();
    const std::size_t rows = std::min(cursor_.ahead(), out.rows());
    if (rows == 0) return 0;
    if (choice_.are_lists) {
      read_lists(rows, out.data());
    } else {
      for (std::size_t k = 0; k < cols_; ++k) {
        cursor_.column(columns_[k]).numbers(cursor_.at(), rows, out.data() + k, cols_);
      }
    }
    if (ids != nullptr && has_ids()) read_ids(rows, *ids);
    cursor_.advance(rows);
    return rows;
  }

 private:
  bool has_given_ids() const { return given_ids_ != nullptr && !given_ids_->empty(); }

  void measure_lists() {
    if (cursor_.ahead() == 0) return;
    const ArrowColumn lists = cursor_.column(columns_[0]);
    if (lists.is_null(cursor_.at())) refuse(0, "is null; every example needs its scores");
    cols_ = lists.items(cursor_.at()).count;
    if (cols_ == 0) refuse(0, "is an empty list; every example needs its scores");
  }

  [[noreturn]] void refuse(std::size_t row, const std::string& what) const {
    throw Error(ErrorCode::data,
                fmt::format("{}: column '{}' {}", cursor_.place(row), choice_.columns[0], what),
                "every row lists one score per class, in the same order");
  }

  void read_lists(std::size_t rows, double* out) const {
    const ArrowColumn lists = cursor_.column(columns_[0]), values = lists.child(0);
    // Lists that follow one another are taken together.
    std::size_t begin = 0, first_item = 0;
    for (std::size_t i = 0; i < rows; ++i) {
      if (lists.is_null(cursor_.at() + i)) {
        refuse(cursor_.row() + i, "is null; every example needs its scores");
      }
      const ArrowColumn::Range items = lists.items(cursor_.at() + i);
      if (items.count != cols_) {
        refuse(cursor_.row() + i,
               fmt::format("lists {} numbers; the first row has {}", items.count, cols_));
      }
      if (i == 0) first_item = items.first;
      if (items.first == first_item + (i - begin) * cols_) continue;
      read_items(values, first_item, begin, i, out);
      begin = i;
      first_item = items.first;
    }
    read_items(values, first_item, begin, rows, out);
  }

  void read_items(const ArrowColumn& values, std::size_t first, std::size_t begin, std::size_t end,
                  double* out) const {
    const std::size_t count = (end - begin) * cols_;
    NumberType type{};
    if (values.plain_numbers(first, count, type) == nullptr) {
      for (std::size_t i = 0; i < count; ++i) {
        if (!values.is_null(first + i)) continue;
        refuse(cursor_.row() + begin + i / cols_, fmt::format("is null at item {}", i % cols_));
      }
    }
    values.numbers(first, count, out + begin * cols_);
  }

  void read_ids(std::size_t rows, std::vector<std::string>& ids) const {
    if (has_given_ids()) {
      if (cursor_.row() + rows > given_ids_->size()) {
        throw Error(ErrorCode::data, fmt::format("{} ids for more rows", given_ids_->size()));
      }
      const auto from = given_ids_->begin() + static_cast<std::ptrdiff_t>(cursor_.row());
      ids.assign(from, from + static_cast<std::ptrdiff_t>(rows));
      return;
    }
    const ArrowColumn column = cursor_.column(id_column_);
    std::string buffer;
    ids.reserve(rows);
    for (std::size_t i = 0; i < rows; ++i) ids.emplace_back(column.text(cursor_.at() + i, buffer));
  }

  ArrowCursor cursor_;
  ScoreChoice choice_;
  std::optional<std::size_t> rows_;
  const std::vector<std::string>* given_ids_;
  std::vector<std::size_t> columns_;
  std::size_t id_column_ = 0, cols_ = 0;
  std::vector<std::string> classes_;
};

}  // namespace

ScoreChoice choose_scores(const std::vector<ArrowField>& fields, const ScoreFile& file) {
  if (fields.empty()) throw Error(ErrorCode::data, file.path + ": a table without columns");
  ScoreChoice choice;
  std::size_t named = fields.size();
  if (!file.scores_field.empty()) {
    named = find_field(fields, file.scores_field);
    if (named == fields.size()) {
      throw Error(ErrorCode::format,
                  fmt::format("{}: no column named {}", file.path, excerpt(file.scores_field)),
                  fmt::format("the columns are: {}", list_names(all_names(fields))));
    }
    take_named(fields[named], file.path, choice);
  }
  const std::vector<std::string> cells = names_of(fields, false);
  if (!cells.empty()) {
    const std::size_t id = find_id_column(cells, file.id_field, file.path);
    choice.has_id = id != kNoColumn && (named == fields.size() || cells[id] != fields[named].name);
    if (choice.has_id) choice.id = cells[id];
  } else if (!file.id_field.empty()) {
    throw Error(ErrorCode::format,
                fmt::format("{}: no column named {}", file.path, excerpt(file.id_field)));
  }
  if (named == fields.size() && !take_lists(fields, file, choice)) {
    take_columns(fields, cells, file.path, choice);
  }
  return choice;
}

std::unique_ptr<ScoreReader> open_arrow_scores(std::unique_ptr<ArrowBatches> batches,
                                               ScoreChoice choice, std::optional<std::size_t> rows,
                                               const std::vector<std::string>* ids) {
  return std::make_unique<ArrowScores>(std::move(batches), std::move(choice), rows, ids);
}

}  // namespace credence::io
