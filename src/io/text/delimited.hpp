// Comma- or tab-separated tables: RFC 4180 quotes, a header row or none, ragged rows refused.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/bytes/text_lines.hpp"
#include "io/text/cell_table.hpp"

namespace credence::io {

/// Records of a delimited text: a line, or several when a quoted cell holds line breaks. The
/// delimiter is a tab for names ending in .tsv(.gz), otherwise a comma unless the first line has
/// tabs or semicolons and no comma. Blank lines are skipped, and before the first record also lines
/// starting with '#'.
class DelimitedRecords {
 public:
  explicit DelimitedRecords(TextLines lines);
  /// The next record, valid until the next call. False at the end.
  bool next(std::string_view& record);
  /// Gives the record last returned once more, for readers that look at the first row.
  void unread() { again_ = true; }
  /// Cells of a record, unquoted and trimmed of spaces; valid as long as the record and until the
  /// next call.
  void split(std::string_view record, std::vector<std::string_view>& cells);
  /// 1-based line where the record last returned starts.
  std::size_t line() const { return line_; }
  /// True when blank lines came directly before the record last returned.
  bool after_blank() const { return after_blank_; }
  char delimiter() const { return delimiter_; }
  const std::string& path() const { return lines_.path(); }
  /// Throws when a row of `found` cells does not fit a table of `expected` columns.
  void check_width(std::size_t found, std::size_t expected) const;

 private:
  bool ends_inside_quotes(std::string_view part, bool inside) const;
  void join_quoted_lines(std::string_view first);

  TextLines lines_;
  char delimiter_ = '\0';  // unknown before the first record
  std::size_t line_ = 0;
  bool after_blank_ = false;
  bool again_ = false;
  std::string_view record_;
  std::vector<char> joined_;  // a record that spans lines; views into a vector survive a move
  std::string unquoted_;      // the text of quoted cells
};

/// A table read row by row. It has a header when the first row has a cell that is not a number
/// (blank cells, NA and the like aside). A first row that mixes names with numbers is refused
/// unless it can only be a header (first_row.hpp).
class DelimitedTable : public CellTable {
 public:
  explicit DelimitedTable(const std::string& path);
  /// `own_names`: names of columns that the user told us.
  explicit DelimitedTable(TextLines lines, const std::vector<std::string>& own_names = {});
  /// Cells of the next row, unquoted and trimmed of spaces. False at the end. A row with another
  /// number of cells than the first is an Error naming path, line, and both numbers; so is a blank
  /// line between the rows of a one-column table, where it may stand for a missing value.
  bool next(std::vector<std::string_view>& cells) override;
  std::size_t line() const override { return records_.line(); }
  bool is_text() const override { return true; }
  const std::string& path() const override { return records_.path(); }
  /// Index of the first column whose name equals one of `names`, ignoring case.
  std::optional<std::size_t> column(std::initializer_list<std::string_view> names) const;
  std::optional<std::size_t> column(std::string_view name) const;

 private:
  DelimitedRecords records_;
  bool any_row_ = false;
};

/// The whole cell as a number (fast_float; "nan" and "inf" parse and are judged by the caller).
/// Empty when it is not one.
std::optional<double> parse_number(std::string_view cell);

/// Without leading and trailing spaces and tabs.
std::string_view trim(std::string_view text);

/// Equal but for the case of ASCII letters.
bool equal_ignoring_case(std::string_view a, std::string_view b);

}  // namespace credence::io
