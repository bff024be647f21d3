// The forms votes come in, one reader each; `read_votes` tells them apart by content.
#pragma once

#include <optional>

#include "credence/memory.hpp"
#include "io/bytes/text_twice.hpp"
#include "io/text/delimited.hpp"
#include "io/votes/vote_rows.hpp"

namespace credence::io {

/// What ‹votes_format› may say of arrays and tables.
inline constexpr std::string_view kCountsFormat = "counts", kAnnotatorsFormat = "annotators";
/// In an array of labels, and in a table that is said to hold some: no answer.
inline constexpr std::string_view kMissingLabel = "-1";

/// An Error when ‹votes_format› names a form of JSON, and the file is `what`: "an array".
void require_form_of(const VoteFile& file, std::string_view what);

/// Reads any form without judging the rows that may be left out later.
RawVotes read_votes(const VoteFile& file);

/// The same file under the name that messages use; nothing opens it by that name.
VoteFile shown(VoteFile file);

/// .npy and .npz: a matrix of counts or shares, or one label per example.
RawVotes read_npy_votes(const VoteFile& file);
/// The same for an array that came through a pipe.
RawVotes read_npy_votes(Bytes bytes, const VoteFile& file);

/// An array in memory.
RawVotes read_array_votes(const NumberArray& array, const VoteFile& file);

/// .csv and .tsv, or a table in memory: a long table, a column of labels, a matrix, or one column
/// per annotator.
RawVotes read_table_votes(CellTable& table, const VoteFile& file);

/// Columns of a long table: one line per answer.
struct LongColumns {
  std::size_t example = 0, label = 0;
  std::optional<std::size_t> annotator, count;
  std::optional<std::size_t> category;  ///< names beside label indices, as CIFAR-10H has them
};
/// Empty when the header is not that of a long table.
std::optional<LongColumns> find_long_columns(const std::vector<std::string>& header,
                                             const VoteFile& file);
RawVotes read_long_table(CellTable& table, const LongColumns& columns, const VoteFile& file);

/// One label per line.
RawVotes read_label_column(CellTable& table, const VoteFile& file);

/// One row per example: counts per class, or labels per annotator with blanks.
RawVotes read_grid(CellTable& table, const VoteFile& file);

/// JSON lines (ChaosNLI and general) and peerannot's answers.json.
RawVotes read_json_votes(const TextTwice& text, const VoteFile& file);

}  // namespace credence::io
