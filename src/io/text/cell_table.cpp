#include "io/text/cell_table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "credence/error.hpp"
#include "io/text/delimited.hpp"

namespace credence::io {
namespace {

class GivenTable : public CellTable {
 public:
  GivenTable(const Table& table, std::string path) : table_(table), path_(std::move(path)) {
    const std::vector<std::string>& names = table.names();
    cols_ = names.size();
    if (cols_ == 0 || table.rows() == 0) {
      throw Error(ErrorCode::data, fmt::format("{}: an empty table", path_));
    }
    bool numbered = true;
    for (std::size_t c = 0; c < cols_; ++c) numbered = numbered && names[c] == std::to_string(c);
    if (!numbered) header_ = names;
    buffers_.resize(cols_);
  }

  bool next(std::vector<std::string_view>& cells) override {
    if (row_ == table_.rows()) return false;
    cells.clear();
    for (std::size_t c = 0; c < cols_; ++c) {
      cells.push_back(trim(table_.text(row_, c, buffers_[c])));
    }
    ++row_;
    return true;
  }
  std::size_t line() const override { return row_; }
  bool is_text() const override { return false; }
  const std::string& path() const override { return path_; }

 private:
  const Table& table_;
  std::string path_;
  std::size_t row_ = 0;
  std::vector<std::string> buffers_;
};

}  // namespace

std::string place_of(const std::string& path, std::size_t line, bool is_text) {
  return is_text ? fmt::format("{}:{}", path, line) : fmt::format("{}: row {}", path, line - 1);
}

std::unique_ptr<CellTable> open_given_table(const Given& given, const std::string& path) {
  return std::make_unique<GivenTable>(*given.table, path);
}

}  // namespace credence::io
