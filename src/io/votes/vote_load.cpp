#include <fmt/format.h>

#include "credence/error.hpp"
#include "credence/options.hpp"
#include "io/formats/file_format.hpp"
#include "io/text/cell_table.hpp"
#include "io/votes/vote_forms.hpp"
#include "io/votes/vote_nested.hpp"

namespace credence::io {

namespace {

RawVotes read_given_table(const Given& given, const VoteFile& file) {
  if (auto batches = given.table->batches(); batches && given.table->has_nested()) {
    if (const auto choice = choose_nested_votes(readable_fields(batches->schema()), file)) {
      require_form_of(file, "a table");
      RawVotes raw = open_nested_votes(std::move(batches), *choice, file)->read(kAllRows);
      if (raw.rows == 0) throw Error(ErrorCode::data, file.path + ": an empty table");
      return raw;
    }
  }
  const auto table = open_given_table(given, file.path);
  return read_table_votes(*table, file);
}

RawVotes read_given(const VoteFile& file) {
  const Given& given = *file.given;
  RawVotes raw;
  if (given.array) {
    raw = read_array_votes(*given.array, file);
  } else {
    raw = read_given_table(given, file);
  }
  if (given.ids.empty()) return raw;
  if (given.ids.size() != raw.rows) {
    throw Error(ErrorCode::data,
                fmt::format("{} ids for the {} rows of {}", given.ids.size(), raw.rows, file.path));
  }
  raw.table.ids = given.ids;
  return raw;
}

void check_format_name(std::string_view name) {
  const std::string_view known = info(Option::votes_format).values.words;
  const std::string all = fmt::format("|{}|", known);
  if (name.empty() || all.find(fmt::format("|{}|", name)) != std::string::npos) return;
  throw Error(ErrorCode::usage, fmt::format("‹votes_format› is '{}'", name),
              fmt::format("it is one of {}", known));
}

}  // namespace

VoteFile shown(VoteFile file) {
  file.path = display_name(file.path);
  return file;
}

void require_form_of(const VoteFile& file, std::string_view what) {
  if (file.format.empty() || file.format == kCountsFormat || file.format == kAnnotatorsFormat) {
    return;
  }
  throw Error(ErrorCode::data,
              fmt::format("{} is {}; '{}' is a form of JSON", file.path, what, file.format),
              "say ‹votes_format=counts› or ‹votes_format=annotators›, or leave it to the content");
}

RawVotes read_votes(const VoteFile& asked) {
  VoteFile file = asked;
  check_format_name(file.format);
  if (file.format == "auto") file.format.clear();
  check_class_names(file.classes, "classes of the votes");
  if (file.given) return read_given(file);
  std::unique_ptr<ByteSource> source;
  const FileFormat& format = recognise(file.path, source);
  return format.read_votes(file, std::move(source));
}

VoteTable load_votes(const VoteFile& file) {
  RawVotes raw = read_votes(file);
  if (!raw.problems.empty()) {
    throw to_error(raw.problems.front(), display_name(file.path), raw);
  }
  return std::move(raw.table);
}

}  // namespace credence::io
