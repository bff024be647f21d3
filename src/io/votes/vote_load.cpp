#include <fmt/format.h>

#include "credence/error.hpp"
#include "io/formats/file_format.hpp"
#include "io/text/cell_table.hpp"
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

VoteFile shown(VoteFile file) {
  file.path = display_name(file.path);
  return file;
}

RawVotes read_votes(const VoteFile& file) {
  check_class_names(file.classes, "classes of the votes");
  if (file.given) return read_given(file);
  std::unique_ptr<ByteSource> source;
  const FileFormat& format = recognise(file.path, source);
  return format.read_votes(file, std::move(source));
}

VoteTable load_votes(const VoteFile& file) {
  RawVotes raw = read_votes(file);
  if (!raw.problems.empty()) throw to_error(raw.problems.front(), display_name(file.path));
  return std::move(raw.table);
}

}  // namespace credence::io
