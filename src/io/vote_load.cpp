#include "credence/error.hpp"
#include "io/npy.hpp"
#include "io/vote_forms.hpp"

namespace credence::io {

RawVotes read_votes(const VoteFile& named) {
  check_class_names(named.classes, "classes of the votes");
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
  return read_table_votes(TextLines(named.path, std::move(source)), file);
}

VoteTable load_votes(const VoteFile& file) {
  RawVotes raw = read_votes(file);
  if (!raw.problems.empty()) throw to_error(raw.problems.front(), display_name(file.path));
  return std::move(raw.table);
}

}  // namespace credence::io
