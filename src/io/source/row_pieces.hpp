// Scores and votes of files, joined row by row, in pieces of whole blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "credence/row_files.hpp"
#include "dataset/fingerprint.hpp"
#include "io/join/join_classes.hpp"
#include "io/source/score_blocks.hpp"
#include "io/source/vote_blocks.hpp"

namespace credence::io {

struct RowPiece {
  std::size_t first = 0;  ///< number of its first row
  ScoreChunk scores;
  Votes votes;
  std::vector<std::uint64_t> keys;  ///< by which rows are drawn: see row_keys
};

class RowPieces {
 public:
  /// Reads everything once, to check it and to know the facts, or leaves that to the first pass.
  RowPieces(const DatasetFiles& files, const RowFileOptions& options);
  ~RowPieces();

  const DataFacts& facts() const { return facts_; }
  const JoinReport& join() const { return join_; }
  void rewind();
  bool next(RowPiece& piece);

 private:
  class IdCheck;
  struct Survey;

  RowPiece check_order(RowPiece first);
  void count_rows(const RowFileOptions& options);
  void note_piece(const RowPiece& piece, const std::vector<std::string>& vote_ids);
  void finish_survey();
  [[noreturn]] void refuse_count(std::size_t vote_rows) const;
  VoteTable read_votes(std::size_t most);
  void understand(const VoteTable& first);
  void report(const RowFileOptions& options, std::size_t rows) const;

  DatasetFiles files_;
  std::string score_path_, vote_path_;
  ScoreBlocks scores_;
  std::unique_ptr<VoteBlocks> votes_;  // null: scores alone
  std::vector<std::string> score_names_;
  std::vector<std::string> name_notes_, vote_notes_;
  std::unique_ptr<Survey> survey_;  // while a pass finds the facts
  std::optional<VoteTable> kind_;   // what the first piece of the votes is, without its rows
  ClassMatch match_;
  std::optional<RowPiece> held_;  // the first one, where it was looked at before the first pass
  std::size_t memory_, piece_rows_ = 0, next_row_ = 0;
  DataFacts facts_;
  JoinReport join_;
};

}  // namespace credence::io
