#include <fmt/format.h>

#include "credence/error.hpp"
#include "io/npy.hpp"
#include "io/vote_forms.hpp"

namespace credence::io {
namespace {

bool ends_with(const std::string& folded, std::string_view end) { return folded.ends_with(end); }

bool is_json(const std::string& path) {
  std::string folded = fold_name(path);
  if (ends_with(folded, ".gz")) folded.resize(folded.size() - 3);
  if (ends_with(folded, ".json") || ends_with(folded, ".jsonl") || ends_with(folded, ".ndjson")) {
    return true;
  }
  // Standard input cannot be looked at twice, so it is taken for a table.
  if (path == "-" || ends_with(folded, ".csv") || ends_with(folded, ".tsv")) return false;
  TextLines lines(path);
  std::string_view line;
  while (lines.next(line)) {
    const std::size_t first = line.find_first_not_of(" \t");
    if (first != std::string_view::npos) return line[first] == '{' || line[first] == '[';
  }
  return false;
}

}  // namespace

RawVotes read_votes(const VoteFile& file) {
  check_class_names(file.classes, "classes of the votes");
  if (is_npy_path(file.path)) return read_npy_votes(file);
  return is_json(file.path) ? read_json_votes(file) : read_table_votes(file);
}

VoteTable load_votes(const VoteFile& file) {
  RawVotes raw = read_votes(file);
  if (!raw.problems.empty()) throw to_error(raw.problems.front(), file.path);
  return std::move(raw.table);
}

}  // namespace credence::io
