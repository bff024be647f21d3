#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "credence/error.hpp"
#include "io/npy/npy.hpp"
#include "io/text/cell_table.hpp"
#include "io/text/first_row.hpp"
#include "io/votes/vote_forms.hpp"

namespace credence::io {

namespace {

RawVotes read_given(const VoteFile& file) {
  const Given& given = *file.given;
  RawVotes raw;
  if (given.array) {
    raw = read_array_votes(*given.array, file);
  } else {
    const auto table = open_given_table(given, file.path);
    raw = read_table_votes(*table, file);
  }
  if (given.ids.empty()) return raw;
  if (given.ids.size() != raw.rows) {
    throw Error(ErrorCode::data,
                fmt::format("{} ids for the {} rows of {}", given.ids.size(), raw.rows, file.path));
  }
  raw.table.ids = given.ids;
  return raw;
}

}  // namespace

RawVotes read_votes(const VoteFile& named) {
  check_class_names(named.classes, "classes of the votes");
  if (named.given) return read_given(named);
  if (is_npy_path(named.path)) return read_npy_votes(named);
  auto source = open_bytes(named.path);
  const Form form = recognise(named.path, source);
  VoteFile file = named;
  file.path = display_name(named.path);  // for messages; nothing opens it again
  switch (form) {
    case Form::npy:
      return read_npy_votes(read_all(*source), file);
    case Form::json:
      return read_json_votes(TextTwice(named.path, std::move(source)), file);
    case Form::delimited:
      break;
  }
  std::vector<std::string> own_names{file.id_field, file.votes_field};
  for (const auto& names : {file.classes, file.score_classes}) {
    std::ranges::copy_if(names, std::back_inserter(own_names), is_name_cell);
  }
  std::erase(own_names, std::string());
  DelimitedTable table(TextLines(named.path, std::move(source)), own_names);
  return read_table_votes(table, file);
}

VoteTable load_votes(const VoteFile& file) {
  RawVotes raw = read_votes(file);
  if (!raw.problems.empty()) throw to_error(raw.problems.front(), display_name(file.path));
  return std::move(raw.table);
}

}  // namespace credence::io
