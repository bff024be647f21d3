#include "io/text/first_row.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "credence/error.hpp"
#include "io/scores/score_reader.hpp"
#include "io/text/delimited.hpp"
#include "io/votes/vote_names.hpp"

namespace credence::io {
namespace {

bool is_usual_name(std::string_view cell) {
  const std::string name(cell);
  const auto has_role = [&](ColumnRole role) {
    return find_role(std::span<const std::string>(&name, 1), role).has_value();
  };
  const auto same = [&](std::string_view usual) { return equal_ignoring_case(name, usual); };
  return has_role(ColumnRole::example) || has_role(ColumnRole::annotator) ||
         has_role(ColumnRole::label) || has_role(ColumnRole::count) || is_gold_name(name) ||
         is_index_name(name) || looks_like_annotator(name) || std::ranges::any_of(kIdNames, same);
}

}  // namespace

bool is_name_cell(std::string_view cell) { return !is_blank(cell) && !parse_number(cell); }

bool is_number_cell(std::string_view cell) {
  const auto number = parse_number(cell);
  return number && !std::isnan(*number);
}

bool mixes_names_and_numbers(std::span<const std::string_view> cells) {
  return std::ranges::any_of(cells, is_name_cell) && std::ranges::any_of(cells, is_number_cell);
}

bool names_columns(std::span<const std::string_view> cells,
                   std::span<const std::string> own_names) {
  bool named = false;
  std::set<std::string_view> numbers;
  for (const std::string_view cell : cells) {
    if (is_number_cell(cell)) {
      const bool whole = cell.find_first_not_of("0123456789") == std::string_view::npos;
      if (!whole || !numbers.insert(cell).second) return false;
    } else if (!cell.empty()) {
      named = named || is_usual_name(cell) || find_name(own_names, cell).has_value();
    }
  }
  return named;
}

void refuse_mixed_row(std::span<const std::string_view> cells, const std::string& place) {
  const auto names = std::ranges::count_if(cells, is_name_cell);
  const auto numbers = std::ranges::count_if(cells, is_number_cell);
  const bool odd_is_name = names <= numbers;
  const auto odd = std::ranges::find_if(cells, odd_is_name ? is_name_cell : is_number_cell);
  throw Error(
      ErrorCode::format,
      fmt::format("{}: column {}: {} is {}, unlike other cells of the first row: does it hold "
                  "values or the names of the columns?",
                  place, odd - cells.begin() + 1, excerpt(*odd),
                  odd_is_name ? "not a number" : "a number"),
      "correct the cell if the row holds values (decimals have a point, thousands no separator); "
      "a header may hold numbers beside the name of an id column, as in id,0,1,2, and otherwise "
      "needs names that are not numbers, such as class_0");
}

}  // namespace credence::io
