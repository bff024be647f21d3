#include "io/join/join_groups.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "credence/error.hpp"
#include "io/arrow/table_files.hpp"
#include "io/bytes/text_twice.hpp"
#include "io/formats/file_format.hpp"
#include "io/npy/npy.hpp"
#include "io/text/delimited.hpp"
#include "io/votes/vote_names.hpp"

namespace credence::io {
namespace {

constexpr std::string_view kGroupNames[] = {"group",      "groups",      "group_id",      "patient",
                                            "patient_id", "recording",   "recording_id",  "subject",
                                            "subject_id", "participant", "participant_id"};

bool is_group_name(std::string_view name) {
  return std::ranges::find(kGroupNames, fold_name(name)) != std::end(kGroupNames);
}

struct Groups {
  std::vector<std::string> names, ids;
};

void check_group(std::string_view name, const std::string& place) {
  if (!is_blank(name)) return;
  throw Error(ErrorCode::data, fmt::format("{}: blank group", place),
              "every row of the scores needs a group");
}

Groups read_column(TextLines lines, const std::string& path, std::size_t rows) {
  Groups groups;
  std::size_t blanks = 0;
  for (std::string_view line; lines.next(line);) {
    if (fold_name(line).empty()) {
      ++blanks;  // at the end of the file they mean nothing
      continue;
    }
    if (blanks != 0 && !groups.names.empty())
      check_group("", place_of(path, lines.number() - 1, true));
    check_group(line, place_of(path, lines.number(), true));
    groups.names.emplace_back(line);
    blanks = 0;
  }
  // One line more than there are rows: the first is the name of the column.
  if (groups.names.size() == rows + 1) groups.names.erase(groups.names.begin());
  return groups;
}

Groups read_table(CellTable& table, const std::string& path) {
  const auto& header = table.header();
  const auto id = find_role(header, ColumnRole::example);
  std::size_t group = header.size();
  for (std::size_t c = 0; c < header.size() && group == header.size(); ++c) {
    if (is_group_name(header[c]) && (!id || c != *id)) group = c;
  }
  if (group == header.size() && id && header.size() == 2) group = 1 - *id;
  if (!id || group == header.size()) {
    throw Error(ErrorCode::data,
                fmt::format("{}: no columns id and group{}", path,
                            header.empty() ? "" : " among " + list_names(header)),
                "give one group per row of the scores, or a table with columns id and group");
  }
  Groups groups;
  std::vector<std::string_view> cells;
  while (table.next(cells)) {
    check_group(cells[group], place_of(table));
    groups.ids.emplace_back(cells[*id]);
    groups.names.emplace_back(cells[group]);
  }
  return groups;
}

bool has_columns(TextLines lines) {
  for (std::string_view line; lines.next(line);) {
    if (!fold_name(line).empty()) return line.find_first_of(",\t;") != std::string_view::npos;
  }
  throw Error(ErrorCode::data, lines.path() + ": no groups");
}

Groups from_numbers(const NumberArray& array, const std::string& path) {
  Groups groups;
  for (const std::int64_t number : array.integers(path))
    groups.names.push_back(std::to_string(number));
  return groups;
}

/// One column is a group per row; more are columns id and group.
Groups read_cells(CellTable& table, const std::string& path) {
  if (table.cols() > 1) return read_table(table, path);
  Groups groups;
  std::vector<std::string_view> cells;
  while (table.next(cells)) {
    check_group(cells[0], place_of(table));
    groups.names.emplace_back(cells[0]);
  }
  return groups;
}

Groups read(const std::string& path, std::size_t rows) {
  if (is_table_path(path)) return read_cells(*open_table_cells(path), path);
  if (is_npy_path(path)) return from_numbers(NpyArray(path).numbers(), path);
  const std::string name = display_name(path);
  std::unique_ptr<ByteSource> source;
  if (recognise(path, source).magic == kNpyMagic) {
    return from_numbers(NpyArray(read_all(*source), name).numbers(), name);
  }
  const TextTwice text(path, std::move(source));
  if (!has_columns(text.lines())) return read_column(text.lines(), name, rows);
  DelimitedTable table(text.lines());
  return read_table(table, name);
}

Groups read_given(const Given& given, const std::string& path) {
  if (given.array) return from_numbers(*given.array, path);
  return read_cells(*open_given_table(given, path), path);
}

}  // namespace

SubgroupLabels read_groups(const std::string& file, const std::shared_ptr<const Given>& given,
                           const Side& scores, const std::vector<std::size_t>& wanted) {
  const std::string path = display_name(file);
  const Groups groups = given ? read_given(*given, path) : read(file, scores.rows);
  const Side side{groups.ids, groups.names.size(), path, true};
  // A group for an example without scores harms nothing; an example without a group does.
  RowJoin join = join_rows(scores, side, "groups", RowFilter(), true);
  join.spell_out();
  constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  std::vector<std::size_t> group_of(scores.rows, kNone);
  for (std::size_t i = 0; i < join.score_rows.size(); ++i) {
    group_of[join.score_rows[i]] = join.other_rows[i];
  }
  Interner numbers;
  SubgroupLabels result;
  result.of_row.reserve(wanted.size());
  for (const std::size_t row : wanted) {
    if (group_of[row] == kNone) {
      throw Error(ErrorCode::data,
                  fmt::format("{}: no group for row {} of {}{}", path, row, scores.path,
                              scores.ids.empty() ? "" : fmt::format(" (id '{}')", scores.ids[row])),
                  "every example needs a group");
    }
    const std::string& name = groups.names[group_of[row]];
    result.of_row.push_back(numbers.add(name));
    if (result.of_row.back() == result.names.size()) result.names.push_back(name);
  }
  return result;
}

}  // namespace credence::io
