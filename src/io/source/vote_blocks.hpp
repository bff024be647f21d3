// The votes of a file, some rows at a time, as often as wanted.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "credence/io.hpp"
#include "io/votes/vote_rows.hpp"

namespace credence::io {

class VoteBlocks {
 public:
  virtual ~VoteBlocks() = default;
  /// Back to the first row.
  virtual void rewind() = 0;
  /// The next rows, at most `most`; without rows at the end. Each piece is read as a file of its
  /// own would be; a row that cannot be used is an Error.
  virtual VoteTable read(std::size_t most) = 0;
};

/// Arrays in .npy files and tables of text are read in pieces. Other forms gather examples from all
/// over the file: those are held in memory, as long as they fit in `memory` bytes; otherwise an
/// Error(usage) says which forms can be read in pieces.
std::unique_ptr<VoteBlocks> open_vote_blocks(const VoteFile& file, std::size_t memory);

}  // namespace credence::io
