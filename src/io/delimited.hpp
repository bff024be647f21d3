// Comma- or tab-separated tables: RFC 4180 quotes, a header row or none, ragged rows refused.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/text_lines.hpp"

namespace credence::io {

/// A table read row by row; cells are views valid until the next call. The delimiter is a tab for
/// names ending in .tsv(.gz), otherwise a comma unless the first line has tabs or semicolons and no
/// comma. Blank lines and lines starting with '#' before the header are skipped.
class DelimitedTable {
 public:
  explicit DelimitedTable(const std::string& path);
  /// Column names, when the first row has a cell that is not a number (blank cells aside).
  const std::vector<std::string>& header() const { return header_; }
  bool has_header() const { return !header_.empty(); }
  std::size_t cols() const { return cols_; }
  /// Cells of the next row, unquoted and trimmed of spaces. False at the end. A row with another
  /// number of cells than the first is an Error naming path, line, and both numbers.
  bool next(std::vector<std::string_view>& cells);
  /// 1-based line of the row last returned, for messages.
  std::size_t line() const { return line_; }
  const std::string& path() const { return lines_.path(); }
  /// Index of the first column whose name equals one of `names`, ignoring case.
  std::optional<std::size_t> column(std::initializer_list<std::string_view> names) const;
  std::optional<std::size_t> column(std::string_view name) const;

 private:
  void split(std::string_view line, std::vector<std::string_view>& cells);
  TextLines lines_;
  char delimiter_ = ',';
  std::vector<std::string> header_;
  std::size_t cols_ = 0;
  std::size_t line_ = 0;
  std::string first_row_;  // kept when the first line turned out to be data
  bool first_pending_ = false;
  std::string unquoted_;  // storage for cells with doubled quotes or line breaks
};

/// The whole cell as a number (fast_float; "nan" and "inf" parse and are judged by the caller).
/// Empty when it is not one.
std::optional<double> parse_number(std::string_view cell);

}  // namespace credence::io
