#include "io/text/delimited.hpp"

#include <fast_float/fast_float.h>
#include <fmt/core.h>

#include <algorithm>

#include "credence/error.hpp"
#include "io/text/first_row.hpp"

namespace credence::io {
namespace {

// A quote that is never closed must not swallow the rest of a large file.
constexpr std::size_t kLongestQuotedRecord = std::size_t{16} << 20;

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool ends_with_ignoring_case(std::string_view text, std::string_view end) {
  return text.size() >= end.size() &&
         equal_ignoring_case(text.substr(text.size() - end.size()), end);
}

bool is_written_as_number(std::string_view text) {
  text = trim(text);
  return !text.empty() && text.find_first_of("0123456789") != std::string_view::npos &&
         text.find_first_not_of("0123456789.,+-eE") == std::string_view::npos;
}

// "1,5;2,25": where the decimal point is a comma, spreadsheets put semicolons between cells.
bool has_decimal_commas(std::string_view line) {
  for (;;) {
    const std::size_t stop = line.find(';');
    const std::string_view cell = line.substr(0, stop);
    if (!is_written_as_number(cell) || std::ranges::count(cell, ',') > 1) return false;
    if (stop == std::string_view::npos) return true;
    line.remove_prefix(stop + 1);
  }
}

// "1.5 2.25 -1", as numpy.savetxt writes by default.
bool is_spaced_row(std::string_view line) {
  std::size_t cells = 0;
  for (line = trim(line); !line.empty(); line = trim(line)) {
    const std::string_view cell = line.substr(0, line.find(' '));
    if (!is_written_as_number(cell)) return false;
    line.remove_prefix(cell.size());
    ++cells;
  }
  return cells > 1;
}

char choose_delimiter(std::string_view path, std::string_view line) {
  if (ends_with_ignoring_case(path, ".tsv") || ends_with_ignoring_case(path, ".tsv.gz")) {
    return '\t';
  }
  bool comma = false, tab = false, semicolon = false, inside = false;
  for (const char c : line) {
    if (c == '"') inside = !inside;
    if (inside) continue;
    comma = comma || c == ',';
    tab = tab || c == '\t';
    semicolon = semicolon || c == ';';
  }
  if (comma && semicolon && has_decimal_commas(line)) return ';';
  return comma ? ',' : tab ? '\t' : semicolon ? ';' : ',';
}

}  // namespace

std::string_view trim(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) { return lower(x) == lower(y); });
}

std::optional<double> parse_number(std::string_view cell) {
  cell = trim(cell);
  // fast_float follows from_chars, which knows no plus sign; spreadsheets do.
  if (cell.size() > 1 && cell[0] == '+' && cell[1] != '-' && cell[1] != '+') cell.remove_prefix(1);
  double value = 0.0;
  const char* const end = cell.data() + cell.size();
  const auto result = fast_float::from_chars(cell.data(), end, value);
  if (result.ec == std::errc::invalid_argument || result.ptr != end) return std::nullopt;
  return value;
}

DelimitedRecords::DelimitedRecords(TextLines lines) : lines_(std::move(lines)) {}

bool DelimitedRecords::next(std::string_view& record) {
  if (again_) {
    again_ = false;
    record = record_;
    return true;
  }
  std::string_view line;
  after_blank_ = false;
  for (;;) {
    if (!lines_.next(line)) return false;
    // A line of tabs is a row of blank cells where the tab is the delimiter.
    if (line.find_first_not_of(delimiter_ == '\t' ? " " : " \t") == std::string_view::npos) {
      after_blank_ = true;
      continue;
    }
    if (delimiter_ == '\0' && line[0] == '#') continue;
    // A line for Excel, not for us, but it tells.
    if (delimiter_ == '\0' && line.size() == 5 && equal_ignoring_case(line.substr(0, 4), "sep=")) {
      delimiter_ = line[4];
      continue;
    }
    break;
  }
  if (delimiter_ == '\0') {
    delimiter_ = choose_delimiter(path(), line);
    if (line.find(delimiter_) == std::string_view::npos && is_spaced_row(line)) {
      throw Error(ErrorCode::format,
                  fmt::format("{}:{}: cells are separated by spaces", path(), lines_.number()),
                  "separate them by commas, tabs or semicolons (numpy.savetxt has delimiter=',')");
    }
  }
  line_ = lines_.number();
  record_ = line;
  if (line.find('"') != std::string_view::npos && ends_inside_quotes(line, false)) {
    join_quoted_lines(line);
    record_ = {joined_.data(), joined_.size()};
  }
  record = record_;
  return true;
}

void DelimitedRecords::join_quoted_lines(std::string_view first) {
  joined_.assign(first.begin(), first.end());
  bool inside = true;
  while (inside) {
    std::string_view more;
    if (joined_.size() > kLongestQuotedRecord || !lines_.next(more)) {
      throw Error(
          ErrorCode::format,
          fmt::format("{}:{}: a quoted cell starts here and is never closed", path(), line_),
          "close the quote; a quote inside quotes is written twice");
    }
    inside = ends_inside_quotes(more, true);
    joined_.push_back('\n');
    joined_.insert(joined_.end(), more.begin(), more.end());
  }
}

// A quote opens a quoted cell only at the start of the cell.
bool DelimitedRecords::ends_inside_quotes(std::string_view part, bool inside) const {
  bool at_start = !inside;
  for (std::size_t i = 0; i < part.size(); ++i) {
    const char c = part[i];
    if (inside) {
      if (c != '"') continue;
      if (i + 1 < part.size() && part[i + 1] == '"') {
        ++i;
      } else {
        inside = false;
      }
    } else if (c == delimiter_) {
      at_start = true;
    } else if (c == '"' && at_start) {
      inside = true;
      at_start = false;
    } else if (c != ' ') {
      at_start = false;
    }
  }
  return inside;
}

void DelimitedRecords::split(std::string_view record, std::vector<std::string_view>& cells) {
  cells.clear();
  if (record.find('"') == std::string_view::npos) {
    for (;;) {
      const std::size_t stop = record.find(delimiter_);
      cells.push_back(trim(record.substr(0, stop)));
      if (stop == std::string_view::npos) return;
      record.remove_prefix(stop + 1);
    }
  }
  unquoted_.clear();
  unquoted_.reserve(record.size());  // so that the views into it stay valid
  for (;;) {
    const std::size_t first = record.find_first_not_of(' ');
    std::size_t stop;
    if (first == std::string_view::npos || record[first] != '"') {
      stop = record.find(delimiter_);
      cells.push_back(trim(record.substr(0, stop)));
    } else {
      const std::size_t begin = unquoted_.size();
      std::size_t i = first + 1;
      for (; i < record.size(); ++i) {
        if (record[i] == '"') {
          if (i + 1 == record.size() || record[i + 1] != '"') break;
          ++i;
        }
        unquoted_ += record[i];
      }
      cells.push_back(trim(std::string_view(unquoted_).substr(begin)));
      stop = record.find(delimiter_, i);
      const std::string_view rest = record.substr(std::min(i + 1, record.size()));
      if (!trim(rest.substr(0, rest.find(delimiter_))).empty()) {
        throw Error(ErrorCode::format,
                    fmt::format("{}:{}: text after the closing quote of cell {}: {}", path(), line_,
                                cells.size(), excerpt(rest)),
                    "a quote inside quotes is written twice");
      }
    }
    if (stop == std::string_view::npos) return;
    record.remove_prefix(stop + 1);
  }
}

void DelimitedRecords::check_width(std::size_t found, std::size_t expected) const {
  if (found == expected) return;
  throw Error(ErrorCode::format,
              fmt::format("{}:{}: {} cell{}, but the first row has {}", path(), line_, found,
                          found == 1 ? "" : "s", expected),
              "every row needs the same number of cells; put a cell that contains the delimiter "
              "in double quotes");
}

DelimitedTable::DelimitedTable(const std::string& path) : DelimitedTable(TextLines(path)) {}

DelimitedTable::DelimitedTable(TextLines lines, const std::vector<std::string>& own_names)
    : records_(std::move(lines)) {
  std::string_view record;
  if (!records_.next(record)) {
    throw Error(ErrorCode::format, fmt::format("{}: no rows, only blank lines", path()));
  }
  std::vector<std::string_view> cells;
  records_.split(record, cells);
  cols_ = cells.size();
  if (mixes_names_and_numbers(cells) && !names_columns(cells, own_names)) {
    refuse_mixed_row(cells, fmt::format("{}:{}", path(), records_.line()));
  }
  if (std::ranges::any_of(cells, is_name_cell)) {
    header_.assign(cells.begin(), cells.end());
  } else {
    records_.unread();
  }
}

bool DelimitedTable::next(std::vector<std::string_view>& cells) {
  std::string_view record;
  if (!records_.next(record)) return false;
  if (cols_ == 1 && any_row_ && records_.after_blank()) {
    throw Error(ErrorCode::format,
                fmt::format("{}:{}: a blank line before this row", path(), records_.line()),
                "is a value missing? Remove the line, or write the value");
  }
  any_row_ = true;
  records_.split(record, cells);
  records_.check_width(cells.size(), cols_);
  return true;
}

std::optional<std::size_t> DelimitedTable::column(
    std::initializer_list<std::string_view> names) const {
  for (std::size_t i = 0; i < header_.size(); ++i) {
    for (const std::string_view name : names) {
      if (equal_ignoring_case(header_[i], name)) return i;
    }
  }
  return std::nullopt;
}

std::optional<std::size_t> DelimitedTable::column(std::string_view name) const {
  return column({name});
}

}  // namespace credence::io
