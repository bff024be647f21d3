// A table read row by row, its cells as text, whether it stands in a file or in memory: what tells
// the forms of votes apart need not know which.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "credence/memory.hpp"

namespace credence::io {

class CellTable {
 public:
  virtual ~CellTable() = default;
  /// Column names; empty when the table has none.
  const std::vector<std::string>& header() const { return header_; }
  bool has_header() const { return !header_.empty(); }
  std::size_t cols() const { return cols_; }
  /// Cells of the next row, valid until the next call. False at the end.
  virtual bool next(std::vector<std::string_view>& cells) = 0;
  /// 1-based line of a file, or row of a table in memory, last returned.
  virtual std::size_t line() const = 0;
  /// False where names and values are told apart for certain: in memory.
  virtual bool is_text() const = 0;
  virtual const std::string& path() const = 0;

 protected:
  std::vector<std::string> header_;
  std::size_t cols_ = 0;
};

/// "votes.csv:17", or "votes: row 16" for row 17 of a table in memory.
std::string place_of(const std::string& path, std::size_t line, bool is_text);
inline std::string place_of(const CellTable& table) {
  return place_of(table.path(), table.line(), table.is_text());
}

/// The table, or the column of labels, that was given. Columns named 0, 1, 2, ... have no names.
std::unique_ptr<CellTable> open_given_table(const Given& given, const std::string& path);

}  // namespace credence::io
