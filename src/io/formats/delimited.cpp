// Comma- or tab-separated text: what a file is that is nothing else.
#include "io/text/delimited.hpp"

#include <fast_float/fast_float.h>
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "credence/error.hpp"
#include "io/formats/file_format.hpp"
#include "io/scores/score_columns.hpp"
#include "io/scores/score_reader.hpp"
#include "io/text/first_row.hpp"
#include "io/text/short_decimal.hpp"
#include "io/votes/vote_forms.hpp"
#include "io/votes/vote_names.hpp"

namespace credence::io {
namespace {

constexpr std::string_view kTableEndings[] = {".csv", ".tsv"};

class DelimitedScores : public ScoreReader {
 public:
  DelimitedScores(const ScoreFile& file, TextLines lines) : records_(std::move(lines)) {
    std::string_view record;
    if (!records_.next(record)) {
      throw Error(ErrorCode::format, fmt::format("{}: no rows, only blank lines", records_.path()));
    }
    records_.split(record, cells_);
    width_ = cells_.size();
    understand_first_row(file.id_field, file.kind);
    cols_ = width_ - (id_column_ == kNoColumn ? 0 : 1) - (index_column_ == kNoColumn ? 0 : 1);
    if (cols_ == 0) {
      throw Error(ErrorCode::format,
                  fmt::format("{}: no columns of scores besides the id", records_.path()));
    }
  }

  std::size_t cols() const override { return cols_; }
  std::optional<std::size_t> rows() const override { return std::nullopt; }
  const std::vector<std::string>& classes() const override { return classes_; }
  bool has_ids() const override { return id_column_ != kNoColumn; }
  bool ids_are_unnamed() const override {
    return has_ids() && !header_.empty() && is_index_name(header_[id_column_]);
  }
  std::vector<std::string> notes() const override { return notes_; }

  std::size_t read(MatrixView<double> out, std::vector<std::string>* ids) override {
    assert(out.cols() == cols_);
    if (ids != nullptr) ids->clear();
    std::size_t count = 0;
    std::string_view record;
    while (count < out.rows() && records_.next(record)) {
      if (width_ == 1 && any_row_ && records_.after_blank()) {
        throw Error(
            ErrorCode::format,
            fmt::format("{}:{}: a blank line before this row", records_.path(), records_.line()),
            "is a value missing? Remove the line, or write the value");
      }
      any_row_ = true;
      std::string_view id;
      double* const row = out.row(count).data();
      if (!read_plain(record, row, id)) read_carefully(record, row, id);
      if (row_ < 2) check_id(id);
      ++row_;
      if (ids != nullptr && has_ids()) ids->emplace_back(id);
      ++count;
    }
    if (!any_row_) {
      throw Error(ErrorCode::format, fmt::format("{}: no rows after the header", records_.path()));
    }
    return count;
  }

 private:
  void understand_first_row(const std::string& id_field, ScoreKind kind) {
    const auto is_text = [](std::string_view cell) { return !cell.empty() && !parse_number(cell); };
    std::vector<std::string_view> others(cells_.begin() + 1, cells_.end());
    const bool first_is_text = is_text(cells_[0]);
    const bool others_text = std::ranges::any_of(others, is_text);
    const bool others_numbered = others.size() > 1 && are_positions(others);
    const bool id_first = first_is_text && is_id_name(cells_[0], id_field);
    const bool numbers_only = !others_text && are_positions(first_is_text ? others : cells_);
    const bool header = others_text || id_first || (cells_[0].empty() && others_numbered) ||
                        (first_is_text && others.empty());
    header_.assign(cells_.begin(), cells_.end());
    if (header || (numbers_only && numbers_columns(first_is_text, kind))) {
      if (mixes_names_and_numbers(cells_) && !names_columns(cells_, {&id_field, 1})) {
        refuse_mixed_row(cells_, fmt::format("{}:{}", records_.path(), records_.line()));
      }
      id_column_ =
          find_id_column(header_, id_field, fmt::format("{}:{}", records_.path(), records_.line()));
      std::vector<std::string_view> names;
      if (has_index_beside(header_, id_column_)) {
        index_column_ = 0;
        notes_.push_back(index_note(records_.path()));
      }
      for (std::size_t i = 0; i < width_; ++i) {
        if (i != id_column_ && i != index_column_) names.emplace_back(header_[i]);
      }
      if (!are_positions(names)) classes_.assign(names.begin(), names.end());
      return;
    }
    header_.clear();
    if (!id_field.empty()) {
      throw Error(ErrorCode::format,
                  fmt::format("{}:{}: no header row, so no column named {}", records_.path(),
                              records_.line(), excerpt(id_field)),
                  "add a header row that names the columns");
    }
    // One text cell before the numbers: ids in a table without a header.
    if (first_is_text) id_column_ = 0;
    records_.unread();
  }

  static bool is_id_name(std::string_view cell, std::string_view id_field) {
    return equal_ignoring_case(cell, id_field) ||
           std::ranges::any_of(
               kIdNames, [cell](std::string_view name) { return equal_ignoring_case(cell, name); });
  }

  // "0,1,2" may number the columns (a data frame without column names) or be the scores of the
  // first example. Scores are hardly ever whole numbers, so decimals in the next row make it a
  // header. With two columns it is taken for scores, since "0,1" is a common row of probabilities.
  bool numbers_columns(bool first_is_id, ScoreKind kind) {
    const std::size_t first = first_is_id ? 1 : 0;
    if (width_ - first < 2) return false;
    const std::string line = fmt::format("{}:{}", records_.path(), records_.line());
    const std::string text =
        fmt::format("{}", fmt::join(header_, std::string(1, records_.delimiter())));
    if (width_ - first == 2) {
      notes_.push_back(fmt::format("{}: {} is read as scores; if it numbers the columns, remove it",
                                   line, excerpt(text)));
      return false;
    }
    if (kind != ScoreKind::logits) return true;  // no probability is 2
    std::string_view record;
    if (records_.next(record)) {
      records_.split(record, cells_);
      records_.unread();
      const auto has_decimals = [](std::string_view cell) {
        return parse_number(cell) && cell.find_first_of(".eE") != std::string_view::npos;
      };
      if (std::any_of(cells_.begin() + std::min(first, cells_.size()), cells_.end(),
                      has_decimals)) {
        notes_.push_back(
            fmt::format("{}: {} is read as a header that numbers the columns, not as scores", line,
                        excerpt(text)));
        return true;
      }
    }
    throw Error(ErrorCode::format,
                fmt::format("{}: {} may be a header that numbers the columns, or the scores of the "
                            "first example",
                            line, excerpt(text)),
                "put the header p0,p1,p2,... above the scores, or in place of the numbers");
  }

  // A first cell that was meant as a score and is none makes its column one of ids, without a
  // header to tell. Where ids are words, the second row has one too.
  void check_id(std::string_view id) {
    if (!header_.empty() || id_column_ == kNoColumn) return;
    if (row_ == 0) {
      first_id_ = id;
      first_line_ = records_.line();
    } else if (is_number_cell(id)) {
      throw Error(
          ErrorCode::format,
          fmt::format("{}:{}: column 1: {} is not a number, but {} on line {} is: does the column "
                      "hold ids or scores?",
                      records_.path(), first_line_, excerpt(first_id_), excerpt(id),
                      records_.line()),
          "correct the cell if it is a score; if the column holds ids, put a header above the "
          "table: id,p0,p1,...");
    }
  }

  // Numbers straight from the line. False on anything unusual, which read_carefully then judges.
  bool read_plain(std::string_view record, double* row, std::string_view& id) const {
    if (index_column_ != kNoColumn) return false;
    const char delimiter = records_.delimiter();
    const char* at = record.data();
    const char* const end = at + record.size();
    for (std::size_t column = 0; column < width_; ++column) {
      if (column == id_column_) {
        const std::string_view rest(at, static_cast<std::size_t>(end - at));
        const std::string_view cell = rest.substr(0, rest.find(delimiter));
        if (cell.find('"') != std::string_view::npos) return false;
        id = trim(cell);
        at += cell.size();
      } else {
        while (at != end && *at == ' ') ++at;
        double& value = *row++;
        const char* stop = read_short_decimal(at, end, value);
        if (stop == nullptr) {
          const auto result = fast_float::from_chars(at, end, value);
          if (result.ec != std::errc()) return false;
          stop = result.ptr;
        }
        at = stop;
        while (at != end && *at == ' ') ++at;
      }
      if (column + 1 == width_) break;
      if (at == end || *at != delimiter) return false;
      ++at;
    }
    return at == end;
  }

  void read_carefully(std::string_view record, double* row, std::string_view& id) {
    records_.split(record, cells_);
    records_.check_width(cells_.size(), width_);
    for (std::size_t column = 0; column < width_; ++column) {
      if (column == id_column_) {
        id = cells_[column];
        continue;
      }
      if (column == index_column_) {
        check_index_cell(cells_[column], fmt::format("{}:{}", records_.path(), records_.line()));
        continue;
      }
      const auto value = parse_number(cells_[column]);
      if (!value) refuse_cell(column);
      *row++ = *value;
    }
  }

  [[noreturn]] void refuse_cell(std::size_t column) const {
    const std::string_view cell = cells_[column];
    const std::string name =
        header_.empty() ? std::string() : fmt::format(" ({})", excerpt(header_[column]));
    std::string hint = "every column but the id must hold scores";
    if (id_column_ == kNoColumn) hint += "; name the column of ids with ‹id_field›";
    if (cell.empty()) hint = "write the score; a class that the model excludes has logit -inf";
    if (cell.empty() && column + 1 == width_ && header_.empty()) {
      hint = "if lines end in the delimiter, remove it there";
    }
    if (cell.find(',') != std::string_view::npos) {
      hint = "write decimals with a point, and thousands without a separator";
    }
    if (width_ == 1 && cell.find(' ') != std::string_view::npos) {
      hint = "separate cells by commas, tabs or semicolons";
    }
    throw Error(
        ErrorCode::data,
        fmt::format("{}:{}: column {}{}: {}", records_.path(), records_.line(), column + 1, name,
                    cell.empty() ? "the cell is blank, expected a number"
                                 : excerpt(cell) + " is not a number"),
        hint);
  }

  DelimitedRecords records_;
  std::vector<std::string> header_;
  std::vector<std::string> classes_, notes_;
  std::vector<std::string_view> cells_;
  std::size_t width_ = 0, cols_ = 0;
  std::size_t id_column_ = kNoColumn;
  std::size_t index_column_ = kNoColumn;  // of a data frame, beside the ids
  std::size_t row_ = 0;                   // that is read next
  std::string first_id_;
  std::size_t first_line_ = 0;
  bool any_row_ = false;
};

bool any_text(std::string_view) { return true; }

std::unique_ptr<ScoreReader> scores_of_table(const ScoreFile& file,
                                             std::unique_ptr<ByteSource> source) {
  return std::make_unique<DelimitedScores>(file, TextLines(file.path, std::move(source)));
}

std::unique_ptr<CellTable> table_of_votes(const VoteFile& file,
                                          std::unique_ptr<ByteSource> source) {
  std::vector<std::string> own_names{file.id_field, file.votes_field};
  for (const auto& names : {file.classes, file.score_classes}) {
    std::ranges::copy_if(names, std::back_inserter(own_names), is_name_cell);
  }
  std::erase(own_names, std::string());
  return std::make_unique<DelimitedTable>(TextLines(file.path, std::move(source)), own_names);
}

RawVotes votes_of_table(const VoteFile& file, std::unique_ptr<ByteSource> source) {
  const auto table = table_of_votes(file, std::move(source));
  return read_table_votes(*table, shown(file));
}

}  // namespace

extern const FileFormat kDelimitedFormat{.extensions = kTableEndings,
                                         .looks_like = any_text,
                                         .open_scores = scores_of_table,
                                         .read_votes = votes_of_table,
                                         .open_vote_table = table_of_votes};

}  // namespace credence::io
