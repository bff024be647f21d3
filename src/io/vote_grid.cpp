#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "credence/error.hpp"
#include "io/vote_forms.hpp"

namespace credence::io {
namespace {

/// Reads one row per example. Starts out believing in a matrix of numbers; the first blank or name
/// shows that columns are annotators, and the rows so far (numbers without blanks) are read again
/// as labels from the entries kept.
class Grid {
 public:
  Grid(DelimitedTable& table, const VoteFile& file) : table_(table), file_(file) {
    std::vector<std::string> header = table.header();
    std::vector<std::string_view> cells;
    bool pending = false;
    if (header.empty()) {
      if (!table.next(cells)) throw Error(ErrorCode::data, file.path + ": no rows");
      pending = !take_numbered_header(cells, header);
    }
    find_id_column(header);
    for (std::size_t c = 0; c < table.cols(); ++c) {
      if (c == id_column_) continue;
      columns_.push_back(c);
      if (!header.empty()) names_.push_back(header[c]);
    }
    annotators_.assign(columns_.size(), AnswerRows::kNobody);
    is_wide_ = names_.size() >= 2 && std::ranges::all_of(names_, looks_like_annotator);
    if (pending) add_row(cells);
    while (table.next(cells)) add_row(cells);
    if (rows_ == 0) throw Error(ErrorCode::data, file.path + ": a header but no rows");
  }

  RawVotes finish() {
    RawVotes raw = is_wide_ ? finish_wide() : finish_matrix();
    raw.table.ids = std::move(ids_);
    return raw;
  }

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  // A data frame with unnamed columns writes ",0,1,2": a blank corner and column numbers.
  static bool take_numbered_header(const std::vector<std::string_view>& cells,
                                   std::vector<std::string>& header) {
    if (cells.size() < 2 || !cells[0].empty()) return false;
    for (std::size_t c = 1; c < cells.size(); ++c) {
      if (cells[c] != std::to_string(c - 1)) return false;
    }
    header.assign(cells.begin(), cells.end());
    return true;
  }

  static bool is_plain_id(std::string_view name) {
    const std::string folded = fold_name(name);
    return folded.ends_with("id") || folded.ends_with("idx") || folded == "index" ||
           folded == "task" || folded == "example";
  }

  std::size_t expected_classes() const {
    return file_.classes.empty() ? file_.expected_classes : file_.classes.size();
  }

  void find_id_column(const std::vector<std::string>& header) {
    if (header.empty()) return;
    if (!file_.id_field.empty()) {
      if (const auto found = find_name(header, file_.id_field)) id_column_ = *found;
    }
    if (id_column_ == kNone) {
      // "object" or "image" may be a class; "image_id" is not.
      const auto found = find_role(header, ColumnRole::example);
      if (found && (is_plain_id(header[*found]) || header.size() != expected_classes())) {
        id_column_ = *found;
      }
    }
    if (id_column_ == kNone && is_index_name(header[0])) id_column_ = 0;
  }

  void add_row(const std::vector<std::string_view>& cells) {
    const std::size_t line = table_.line();
    if (id_column_ != kNone) {
      if (cells[id_column_].empty()) {
        throw Error(ErrorCode::data, fmt::format("{}:{}: blank id", file_.path, line));
      }
      ids_.emplace_back(cells[id_column_]);
    }
    if (!is_wide_) {
      numbers_.clear();
      for (const std::size_t c : columns_) {
        const auto number = parse_number(cells[c]);
        if (!number || std::isnan(*number)) {  // a blank or a name
          become_wide();
          break;
        }
        numbers_.push_back(*number);
      }
    }
    if (is_wide_) {
      add_labels(cells, line);
    } else {
      matrix_.push_row(numbers_, line);
    }
    ++rows_;
  }

  void become_wide() {
    is_wide_ = true;
    for (std::size_t i = 0; i < matrix_.rows(); ++i) {
      const auto entries = matrix_.row(i);
      auto entry = entries.begin();
      answers_.set_row_line(i, matrix_.line(i));
      for (std::uint32_t c = 0; c < columns_.size(); ++c) {
        const bool kept = entry != entries.end() && entry->column == c;
        add_answer(i, c, kept ? fmt::format("{}", entry->value) : "0", matrix_.line(i));
        if (kept) ++entry;
      }
    }
    matrix_ = {};
  }

  void add_labels(const std::vector<std::string_view>& cells, std::size_t line) {
    answers_.set_row_line(rows_, line);
    for (std::uint32_t c = 0; c < columns_.size(); ++c) {
      const std::string_view cell = cells[columns_[c]];
      if (!is_blank(cell)) add_answer(rows_, c, cell, line);
    }
  }

  void add_answer(std::size_t row, std::uint32_t column, std::string_view label, std::size_t line) {
    // "1" and "1.0" (a column of integers with gaps, as data frames write it) are one label.
    std::string canonical;
    const auto number = parse_number(label);
    if (number && *number == std::floor(*number) && std::abs(*number) < 9e15) {
      canonical = std::to_string(static_cast<std::int64_t>(*number));
      label = canonical;
    }
    std::uint32_t& annotator = annotators_[column];
    if (annotator == AnswerRows::kNobody) annotator = answers_.annotator(std::to_string(column));
    answers_.add(static_cast<std::uint32_t>(row), annotator, label, line);
  }

  RawVotes finish_wide() {
    answers_.set_rows(rows_);
    RawVotes raw = answers_.finish(file_, false, false);
    raw.table.form = fmt::format("wide table ({} annotator columns)", columns_.size());
    return raw;
  }

  RawVotes finish_matrix() {
    const std::size_t expected = expected_classes();
    if (expected != 0 && columns_.size() != expected) {
      throw Error(
          ErrorCode::data,
          fmt::format("{}: {} columns of numbers but {} classes; neither a count matrix (one "
                      "column per class) nor clearly one column per annotator",
                      file_.path, columns_.size(), expected),
          "for counts give one column per class (and name the id column with --id-field); for "
          "labels name the columns annotator_1, annotator_2, ... or leave missing answers blank");
    }
    RawVotes raw = matrix_.finish(columns_.size(), file_.path);
    if (raw.table.votes.rows() == 0) throw to_error(raw.problems.front(), file_.path);
    raw.table.form = raw.table.votes.are_shares() ? "matrix of shares" : "count matrix";
    raw.table.classes = names_;
    if (!file_.classes.empty() && !same_names(names_, file_.classes)) {
      raw.table.classes = file_.classes;
    } else if (!file_.classes.empty() && names_ != file_.classes) {
      raw.table.notes.push_back(
          fmt::format("the header gives the order of the vote columns: {}", list_names(names_)));
    }
    check_class_names(raw.table.classes, file_.path);
    return raw;
  }

  DelimitedTable& table_;
  const VoteFile& file_;
  std::size_t id_column_ = kNone;
  std::vector<std::size_t> columns_;
  std::vector<std::string> names_, ids_;
  std::vector<double> numbers_;
  std::vector<std::uint32_t> annotators_;  // by column, numbered when they first answer
  MatrixRows matrix_;
  AnswerRows answers_;
  bool is_wide_ = false;
  std::size_t rows_ = 0;
};

}  // namespace

RawVotes read_grid(DelimitedTable& table, const VoteFile& file) {
  return Grid(table, file).finish();
}

}  // namespace credence::io
