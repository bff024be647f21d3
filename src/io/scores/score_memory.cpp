#include "io/scores/score_memory.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "credence/error.hpp"
#include "io/scores/score_arrow.hpp"
#include "io/scores/score_columns.hpp"
#include "io/scores/score_reader.hpp"
#include "io/votes/vote_names.hpp"

namespace credence::io {
namespace {

void check_id_count(const Given& given, std::size_t rows, const std::string& path) {
  if (given.ids.empty() || given.ids.size() == rows) return;
  throw Error(ErrorCode::data,
              fmt::format("{} ids for the {} rows of {}", given.ids.size(), rows, path));
}

/// The part that arrays and tables share: rows are known, and counted on.
class GivenScores : public ScoreReader {
 public:
  explicit GivenScores(const ScoreFile& file) : given_(file.given), path_(file.path) {}
  std::optional<std::size_t> rows() const override { return rows_; }
  std::size_t cols() const override { return cols_; }
  const std::vector<std::string>& classes() const override { return classes_; }
  bool has_ids() const override { return !given_->ids.empty(); }

  std::size_t read(MatrixView<double> out, std::vector<std::string>* ids) override {
    assert(out.cols() == cols_);
    const std::size_t count = std::min(out.rows(), rows_ - next_row_);
    if (ids != nullptr) {
      ids->clear();
      for (std::size_t i = 0; has_ids() && i < count; ++i) ids->push_back(id(next_row_ + i));
    }
    if (count != 0) read_block(out.block(0, count));
    next_row_ += count;
    return count;
  }

 protected:
  virtual void read_block(MatrixView<double> out) = 0;
  virtual std::string id(std::size_t row) const { return given_->ids[row]; }
  void check_ids() const { check_id_count(*given_, rows_, path_); }

  std::shared_ptr<const Given> given_;
  std::string path_;
  std::size_t rows_ = 0, cols_ = 0, next_row_ = 0;
  std::vector<std::string> classes_;
};

class ArrayScores : public GivenScores {
 public:
  explicit ArrayScores(const ScoreFile& file) : GivenScores(file) {
    rows_ = given_->array->rows;
    cols_ = given_->array->cols;
    check_ids();
  }
  std::string_view form() const override { return "NumPy array"; }

 private:
  void read_block(MatrixView<double> out) override { given_->array->read_rows(next_row_, out); }
};

class TableScores : public GivenScores {
 public:
  explicit TableScores(const ScoreFile& file) : GivenScores(file), table_(*given_->table) {
    rows_ = table_.rows();
    const std::vector<std::string>& header = table_.names();
    if (header.empty()) throw Error(ErrorCode::data, path_ + ": a table without columns");
    id_column_ = find_id_column(header, file.id_field, path_);
    std::vector<std::string_view> names;
    for (std::size_t c = 0; c < header.size(); ++c) {
      if (c == id_column_ || (c == 0 && has_index_beside(header, id_column_))) continue;
      require_numbers(c);
      columns_.push_back(c);
      names.emplace_back(header[c]);
    }
    cols_ = columns_.size();
    if (cols_ == 0) {
      throw Error(ErrorCode::format, path_ + ": no columns of scores besides the id");
    }
    if (!are_positions(names)) classes_.assign(names.begin(), names.end());
    check_ids();
  }
  bool has_ids() const override { return id_column_ != kNoColumn || GivenScores::has_ids(); }
  bool ids_are_unnamed() const override {
    return id_column_ != kNoColumn && given_->ids.empty() &&
           is_index_name(table_.names()[id_column_]);
  }
  std::vector<std::string> notes() const override {
    if (!has_index_beside(table_.names(), id_column_)) return {};
    return {index_note(path_)};
  }

 private:
  void require_numbers(std::size_t column) const {
    if (table_.is_number(column)) return;
    throw Error(ErrorCode::data,
                fmt::format("{}: column {} ({}) holds no numbers", path_, column + 1,
                            excerpt(table_.names()[column])),
                id_column_ == kNoColumn
                    ? "every column must hold scores; name the column of ids with ‹id_field›"
                    : "every column but the id must hold scores");
  }
  void read_block(MatrixView<double> out) override {
    for (std::size_t k = 0; k < cols_; ++k) {
      table_.numbers(columns_[k], next_row_, out.rows(), out.data() + k, cols_);
    }
  }
  std::string id(std::size_t row) const override {
    if (GivenScores::has_ids()) return GivenScores::id(row);
    std::string buffer;
    return std::string(table_.text(row, id_column_, buffer));
  }

  const Table& table_;
  std::size_t id_column_ = kNoColumn;
  std::vector<std::size_t> columns_;
};

}  // namespace

std::unique_ptr<ScoreReader> open_given_scores(const ScoreFile& file) {
  if (file.given->array) return std::make_unique<ArrayScores>(file);
  const Table& table = *file.given->table;
  if (auto batches = table.batches();
      batches && (table.has_nested() || !file.scores_field.empty())) {
    ScoreChoice choice = choose_scores(readable_fields(batches->schema()), file);
    if (choice.are_lists || !file.scores_field.empty()) {
      check_id_count(*file.given, table.rows(), file.path);
      return open_arrow_scores(std::move(batches), std::move(choice), table.rows(),
                               &file.given->ids);
    }
  }
  return std::make_unique<TableScores>(file);
}

}  // namespace credence::io
