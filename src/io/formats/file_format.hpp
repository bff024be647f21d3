// The formats of files with scores and votes, one value each.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "credence/io.hpp"
#include "io/bytes/byte_source.hpp"
#include "io/text/cell_table.hpp"
#include "io/votes/vote_rows.hpp"

namespace credence::io {

/// How a format is recognised and read. Of a file that `opens` claims no byte has been read: the
/// readers get no source and open it by its name. Otherwise they go on with the source.
struct FileFormat {
  /// By the name alone, before the file is opened: arrays used in place, members of archives.
  bool (*opens)(const std::string& path) = nullptr;
  /// Bytes that no other format starts with; empty: there are none.
  std::string_view magic = {};
  std::span<const std::string_view> extensions = {};
  /// A guess from the first bytes, for names that do not tell. Without one it is never guessed.
  bool (*looks_like)(std::string_view first) = nullptr;

  std::unique_ptr<ScoreReader> (*open_scores)(const ScoreFile& file,
                                              std::unique_ptr<ByteSource> source);
  RawVotes (*read_votes)(const VoteFile& file, std::unique_ptr<ByteSource> source);
  /// Votes as a table, a line at a time, where the format has lines: what lets a file be read in
  /// passes instead of whole.
  std::unique_ptr<CellTable> (*open_vote_table)(const VoteFile& file,
                                                std::unique_ptr<ByteSource> source) = nullptr;
  /// Votes whose rows are examples though no lines of cells; null where they are not.
  std::unique_ptr<VotePieces> (*open_vote_pieces)(const VoteFile& file) = nullptr;
};

/// Bytes that only one format starts with come before the name; the name comes before a guess.
/// Formats that cannot be read (HDF5, spreadsheets, pickles, ...) are an Error that says what
/// the file is. `source` gives all its bytes; it is empty where the format opens the file itself.
const FileFormat& recognise(const std::string& path, std::unique_ptr<ByteSource>& source);

}  // namespace credence::io
