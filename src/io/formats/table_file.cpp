// Parquet, Feather and Arrow files, folders of them and addresses, which others open for us.
#include <fmt/format.h>

#include "credence/error.hpp"
#include "io/arrow/table_files.hpp"
#include "io/formats/file_format.hpp"
#include "io/scores/score_arrow.hpp"
#include "io/votes/vote_forms.hpp"
#include "io/votes/vote_nested.hpp"

namespace credence::io {
namespace {

std::unique_ptr<ScoreReader> scores_of_table_file(const ScoreFile& asked,
                                                  std::unique_ptr<ByteSource>) {
  const TablePath path = split_table_path(asked.path);
  ScoreFile file = asked;
  file.path = path.file;
  if (!path.column.empty()) file.scores_field = path.column;
  ScoreChoice choice;
  {
    const auto described = open_table_file(path.file, {});
    choice = choose_scores(readable_fields(described->schema()), file);
  }
  std::vector<std::string> columns = choice.columns;
  if (choice.has_id) columns.push_back(choice.id);
  return open_arrow_scores(open_table_file(path.file, columns), std::move(choice),
                           reader_of(path.file)->rows(path.file));
}

std::unique_ptr<VotePieces> pieces_of_table_file(const VoteFile& asked) {
  const VoteFile file = votes_in_table(asked);
  std::optional<NestedChoice> choice;
  {
    const auto described = open_table_file(file.path, {});
    choice = choose_nested_votes(readable_fields(described->schema()), file);
  }
  if (!choice) return nullptr;
  require_form_of(file, "a table");
  std::vector<std::string> columns;
  for (const std::string& name : {choice->votes, choice->id, choice->annotators}) {
    if (!name.empty()) columns.push_back(name);
  }
  return open_nested_votes(open_table_file(file.path, columns), *choice, file);
}

RawVotes votes_of_table_file(const VoteFile& asked, std::unique_ptr<ByteSource>) {
  const VoteFile file = votes_in_table(asked);
  if (const auto pieces = pieces_of_table_file(asked)) {
    RawVotes raw = pieces->read(kAllRows);
    if (raw.rows == 0) throw Error(ErrorCode::data, file.path + ": no rows of votes");
    return raw;
  }
  const auto table = open_table_cells(file.path);
  return read_table_votes(*table, file);
}

std::unique_ptr<CellTable> cells_of_table_file(const VoteFile& file, std::unique_ptr<ByteSource>) {
  return open_table_cells(split_table_path(file.path).file);
}

}  // namespace

VoteFile votes_in_table(const VoteFile& asked) {
  const TablePath path = split_table_path(asked.path);
  VoteFile file = asked;
  file.path = path.file;
  if (!path.column.empty()) file.votes_field = path.column;
  file.given = std::make_shared<Given>();  // messages speak of rows, not of lines
  return file;
}

extern const FileFormat kTableFileFormat{.opens = is_table_path,
                                         .open_scores = scores_of_table_file,
                                         .read_votes = votes_of_table_file,
                                         .open_vote_table = cells_of_table_file,
                                         .open_vote_pieces = pieces_of_table_file};

}  // namespace credence::io
