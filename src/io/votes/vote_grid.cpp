#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "credence/error.hpp"
#include "io/scores/score_columns.hpp"
#include "io/votes/vote_forms.hpp"

namespace credence::io {
namespace {

/// Reads one row per example. Starts out believing in a matrix of numbers; the first blank or name
/// shows that columns are annotators, and the rows so far (numbers without blanks) are read again
/// as labels from the entries kept. Columns named like the classes are a matrix, whatever they
/// hold.
class Grid {
 public:
  Grid(CellTable& table, const VoteFile& file)
      : table_(table), file_(file), answers_(file), dropped_(file.drop_labels) {
    header_ = table.header();
    std::vector<std::string>& header = header_;
    std::vector<std::string_view> cells;
    bool pending = false;
    if (header.empty() && table.is_text()) {
      if (!table.next(cells)) throw Error(ErrorCode::data, file.path + ": no rows");
      pending = !take_numbered_header(cells, header);
      if (cells.size() > 2 && are_numbers(cells, 0)) numbered_line_ = table.line();
    }
    find_id_column(header);
    choose_columns(table.cols(), header);
    annotators_.assign(columns_.size(), AnswerRows::kNobody);
    is_wide_ = file.format.empty() ? are_annotators() : file.format == kAnnotatorsFormat;
    is_matrix_ = file.format.empty() ? is_matrix_ : !is_wide_;
    if (pending) add_row(cells);
    while (table.next(cells)) add_row(cells);
    if (rows_ == 0) throw Error(ErrorCode::data, file.path + ": a header but no rows");
  }

  RawVotes finish() {
    RawVotes raw = is_wide_ ? finish_wide() : finish_matrix();
    raw.table.ids = std::move(ids_);
    raw.table.unnamed_ids = id_column_ != kNone && is_index_name(header_[id_column_]);
    raw.table.notes.insert(raw.table.notes.begin(), notes_.begin(), notes_.end());
    return raw;
  }

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  bool in_text() const { return table_.is_text(); }
  std::string place(std::size_t line) const { return place_of(file_.path, line, in_text()); }

  /// 0, 1, 2, ... from the cell `first` on.
  static bool are_numbers(const std::vector<std::string_view>& cells, std::size_t first) {
    for (std::size_t c = first; c < cells.size(); ++c) {
      if (cells[c] != std::to_string(c - first)) return false;
    }
    return true;
  }

  // Without shares below, counts are as likely as a header: the row is kept, and the user told.
  void settle_numbered_line() {
    if (numbered_line_ == 0) return;
    for (std::size_t i = 1; i < matrix_.rows(); ++i) {
      for (const double value : matrix_.row(i).values) {
        if (value == std::floor(value) || std::isnan(value)) continue;
        throw Error(ErrorCode::format,
                    fmt::format("{}:{}: 0,1,2,... numbers the columns, but the rows below hold "
                                "shares: is it a header or are these votes?",
                                file_.path, numbered_line_),
                    "remove the line, or put a header with the names of the classes above it");
      }
    }
    notes_.push_back(
        fmt::format("{}:{}: 0,1,2,... is read as votes; if it numbers the columns, remove the line",
                    file_.path, numbered_line_));
  }

  // A data frame with unnamed columns writes ",0,1,2": a blank corner and column numbers.
  static bool take_numbered_header(const std::vector<std::string_view>& cells,
                                   std::vector<std::string>& header) {
    if (cells.size() < 2 || !cells[0].empty() || !are_numbers(cells, 1)) return false;
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
    if (!has_index_beside(header, id_column_)) return;
    index_column_ = 0;
    notes_.push_back(index_note(file_.path));
  }

  bool are_annotators() const {
    return names_.size() >= 2 && std::ranges::all_of(names_, looks_like_annotator);
  }

  // Everything but the id, unless names tell which columns hold votes: those of the classes, or all
  // but the one with the true label.
  void choose_columns(std::size_t cols, const std::vector<std::string>& header) {
    std::vector<std::size_t> all;
    for (std::size_t c = 0; c < cols; ++c) {
      const bool is_dropped = !header.empty() && c != id_column_ && dropped_.has(header[c]);
      if (is_dropped) dropped_columns_.push_back(c);
      if (c != id_column_ && c != index_column_ && !is_dropped) all.push_back(c);
    }
    const auto& classes = file_.classes.empty() ? file_.score_classes : file_.classes;
    const auto among_classes = [&](std::size_t c) {
      return find_name(classes, header[c]).has_value();
    };
    const auto is_vote = [&](std::size_t c) { return !is_gold_name(header[c]); };
    if (!header.empty()) {
      const auto named = static_cast<std::size_t>(std::ranges::count_if(all, among_classes));
      const auto others = static_cast<std::size_t>(std::ranges::count_if(all, is_vote));
      is_matrix_ = !classes.empty() && named == classes.size();
      if (is_matrix_) {
        keep(all, header, among_classes);
      } else if (others >= 2 && others < all.size() && expected_classes() != all.size()) {
        keep(all, header, is_vote);
      }
    }
    columns_ = std::move(all);
    if (header.empty()) return;
    for (const std::size_t c : columns_) names_.push_back(header[c]);
  }

  template <class Wanted>
  void keep(std::vector<std::size_t>& columns, const std::vector<std::string>& header,
            const Wanted& wanted) {
    std::vector<std::string> left_out;
    for (const std::size_t c : columns) {
      if (!wanted(c)) left_out.push_back(header[c]);
    }
    std::erase_if(columns, [&](std::size_t c) { return !wanted(c); });
    if (left_out.empty()) return;
    notes_.push_back(fmt::format("column{} {} of {} {} not read as votes",
                                 left_out.size() == 1 ? "" : "s", list_names(left_out), file_.path,
                                 left_out.size() == 1 ? "is" : "are"));
  }

  static std::string in_brackets(const std::vector<std::string>& names) {
    return names.empty() ? std::string() : fmt::format(" ({})", list_names(names));
  }

  /// "1,000" and "20%" are meant as numbers; they are not names of classes.
  static bool is_garbled_number(std::string_view cell) {
    return cell.find_first_of("0123456789") != std::string_view::npos &&
           cell.find_first_not_of("0123456789.,'%") == std::string_view::npos;
  }

  // A cell that is not a number: columns are annotators, unless they are known to be classes.
  void judge_odd_cell(std::string_view cell, std::size_t column, std::size_t line) {
    const bool can_be_matrix = expected_classes() == 0 || columns_.size() == expected_classes();
    const bool headless = names_.empty() && can_be_matrix && !cell.empty();
    const bool stray_end = names_.empty() && cell.empty() && column + 1 == table_.cols() &&
                           columns_.size() > 2 && columns_.size() != expected_classes();
    if (stray_end) {
      throw Error(
          ErrorCode::data,
          fmt::format("{}: the last cell of a table without a header is blank", place(line)),
          "if lines end in the delimiter, remove it there; a table of labels needs a "
          "header: annotator_1,annotator_2,...");
    }
    if (is_matrix_ || headless || is_garbled_number(cell)) {
      throw Error(
          ErrorCode::data,
          fmt::format("{}: column {}{}: {}; a number of votes is wanted", place(line), column + 1,
                      names_.empty() ? "" : fmt::format(" ({})", excerpt(header_[column])),
                      cell.empty() ? "the cell is blank" : excerpt(cell) + " is not a number"),
          is_garbled_number(cell) ? "write decimals with a point, and thousands without a separator"
          : is_matrix_            ? "write 0 where nobody chose the class"
                       : "a table of labels needs a header: annotator_1,annotator_2,...");
    }
    if (!are_annotators()) {
      odd_cell_ = fmt::format("{}: column {}{}: {}", place(line), column + 1,
                              names_.empty() ? "" : fmt::format(" ({})", excerpt(header_[column])),
                              cell.empty() ? "the cell is blank" : excerpt(cell));
    }
    // A name leaves no doubt; a blank may be a count that was not written.
    if (!are_annotators() && is_blank(cell)) {
      why_wide_ = fmt::format("since column {} of {} {} {}", column + 1, in_text() ? "line" : "row",
                              in_text() ? line : line - 1,
                              cell.empty() ? "is blank" : "holds " + excerpt(cell));
    }
    become_wide();
  }

  void add_row(const std::vector<std::string_view>& cells) {
    const std::size_t line = table_.line();
    if (id_column_ != kNone) {
      if (cells[id_column_].empty()) {
        throw Error(ErrorCode::data, fmt::format("{}: blank id", place(line)));
      }
      ids_.emplace_back(cells[id_column_]);
    }
    if (index_column_ != kNone) check_index_cell(cells[index_column_], place(line));
    if (!is_wide_) {
      numbers_.clear();
      for (const std::size_t c : columns_) {
        const auto number = parse_number(cells[c]);
        if (!number || (std::isnan(*number) && !is_matrix_ && !names_.empty())) {
          judge_odd_cell(cells[c], c, line);
          break;
        }
        numbers_.push_back(*number);
      }
    }
    if (is_wide_) {
      add_labels(cells, line);
    } else {
      matrix_.push_row(numbers_, in_text() ? line : 0);
      drop_counts(cells);
    }
    ++rows_;
  }

  void drop_counts(const std::vector<std::string_view>& cells) {
    for (const std::size_t c : dropped_columns_) {
      dropped_.drop(header_[c], parse_number(cells[c]).value_or(0.0));
    }
  }

  void become_wide() {
    is_wide_ = true;
    for (std::size_t i = 0; i < matrix_.rows(); ++i) {
      const MatrixRows::Row entries = matrix_.row(i);
      std::size_t entry = 0;
      if (in_text()) answers_.set_row_line(i, matrix_.line(i));
      for (std::uint32_t c = 0; c < columns_.size(); ++c) {
        const bool kept = entry < entries.columns.size() && entries.columns[entry] == c;
        add_answer(i, c, kept ? fmt::format("{}", entries.values[entry]) : "0",
                   in_text() ? matrix_.line(i) : i + 1);
        if (kept) ++entry;
      }
    }
    matrix_ = {};
  }

  void add_labels(const std::vector<std::string_view>& cells, std::size_t line) {
    if (in_text()) answers_.set_row_line(rows_, line);
    for (std::uint32_t c = 0; c < columns_.size(); ++c) {
      const std::string_view cell = cells[columns_[c]];
      const bool missing = is_blank(cell) || (!file_.format.empty() && cell == kMissingLabel);
      if (!missing) add_answer(rows_, c, cell, line);
    }
  }

  void add_answer(std::size_t row, std::uint32_t column, std::string_view label, std::size_t line) {
    // "1" and "1.0" (a column of integers with gaps, as data frames write it) are one label.
    std::string canonical;
    const auto number = parse_number(label);
    has_numbers_ = has_numbers_ || number.has_value();
    if (number && *number == std::floor(*number) && std::abs(*number) < 9e15) {
      canonical = std::to_string(static_cast<std::int64_t>(*number));
      label = canonical;
    }
    std::uint32_t& annotator = annotators_[column];
    if (annotator == AnswerRows::kNobody) annotator = answers_.annotator(std::to_string(column));
    answers_.add(static_cast<std::uint32_t>(row), annotator, label, line);
  }

  // One bad cell would turn counts into labels, where nobody said which they are. Only names, or
  // another number of columns than classes, cannot be counts.
  void refuse_doubtful_labels() const {
    if (odd_cell_.empty() || !has_numbers_ || columns_.size() != expected_classes()) return;
    throw Error(ErrorCode::data,
                fmt::format("{} among numbers: {} columns for {} classes are counts with a bad "
                            "cell, or labels of {} annotators",
                            odd_cell_, columns_.size(), columns_.size(), columns_.size()),
                "for counts correct the cell (0 where nobody chose the class); for labels name the "
                "columns annotator_1,annotator_2,... or say ‹votes_format=annotators›");
  }

  RawVotes finish_wide() {
    refuse_doubtful_labels();
    answers_.set_rows(rows_);
    const auto is_label = [this](const std::string& name) { return answers_.has_label(name); };
    if (!names_.empty() && !are_annotators() && std::ranges::any_of(names_, is_label)) {
      throw Error(ErrorCode::data,
                  fmt::format("{}: the first line holds labels ({}), not the names of annotators",
                              file_.path, list_names(names_)),
                  "put a header above it: annotator_1,annotator_2,...");
    }
    std::string told;
    if (!why_wide_.empty()) {
      told = fmt::format(
          "the columns of {} are read as annotators, {}; in a matrix of counts write 0 "
          "where nobody chose the class",
          file_.path, why_wide_);
      notes_.push_back(told);
    }
    try {
      RawVotes raw = answers_.finish(file_, false, false);
      raw.table.form = fmt::format("wide table ({} annotator columns)", columns_.size());
      return raw;
    } catch (const Error& error) {
      if (told.empty()) throw;
      throw Error(error.code(), error.what(),
                  error.hint().empty() ? told : fmt::format("{}; {}", error.hint(), told));
    }
  }

  RawVotes finish_matrix() {
    const std::size_t expected = expected_classes();
    if (expected != 0 && columns_.size() != expected) {
      throw Error(
          ErrorCode::data,
          fmt::format("{}: {} columns of numbers{} but {} classes{}; neither a count matrix (one "
                      "column per class) nor clearly one column per annotator",
                      file_.path, columns_.size(), in_brackets(names_), expected,
                      in_brackets(file_.classes.empty() ? file_.score_classes : file_.classes)),
          "for counts give one column per class (‹vote_classes› picks columns by name, ‹id_field› "
          "names the id); for labels name the columns annotator_1, annotator_2, ..., leave "
          "missing answers blank, or say ‹votes_format=annotators›");
    }
    if (!dropped_.empty() && header_.empty()) {
      throw Error(
          ErrorCode::data,
          fmt::format("{}: ‹drop_labels› finds no labels: the columns have no names", file_.path),
          "put a header with the names of the classes above the counts");
    }
    dropped_.tell(notes_);
    settle_numbered_line();
    RawVotes raw = matrix_.finish(columns_.size(), file_.path);
    if (raw.table.votes.rows() == 0) throw to_error(raw.problems.front(), file_);
    raw.table.form = raw.table.votes.are_shares() ? "matrix of shares" : "count matrix";
    raw.table.classes = names_;
    if (!file_.classes.empty() && !same_names(names_, file_.classes)) {
      raw.table.classes = file_.classes;
    } else if (!file_.classes.empty() && names_ != file_.classes) {
      raw.table.notes.push_back(
          fmt::format("the header gives the order of the vote columns: {}", list_names(names_)));
    }
    check_class_names(raw.table.classes, file_.path, ErrorCode::data);
    return raw;
  }

  CellTable& table_;
  const VoteFile& file_;
  std::size_t id_column_ = kNone;
  std::size_t index_column_ = kNone;  // of a data frame, beside the ids
  std::vector<std::size_t> columns_, dropped_columns_;
  std::vector<std::string> header_, names_, ids_;
  std::size_t numbered_line_ = 0;  // where the first row reads 0,1,2,...; 0: it does not
  std::vector<double> numbers_;
  std::vector<std::uint32_t> annotators_;  // by column, numbered when they first answer
  MatrixRows matrix_;
  AnswerRows answers_;
  DroppedLabels dropped_;  // columns of counts
  bool is_wide_ = false, is_matrix_ = false;
  bool has_numbers_ = false;  // among the labels
  std::string odd_cell_;      // that made columns annotators, where their names do not
  std::string why_wide_;      // where names of columns do not tell
  std::vector<std::string> notes_;
  std::size_t rows_ = 0;
};

}  // namespace

RawVotes read_grid(CellTable& table, const VoteFile& file) { return Grid(table, file).finish(); }

}  // namespace credence::io
