// Scores of a file of any size, block by block, checked and made finite.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "credence/dataset.hpp"
#include "credence/io.hpp"

namespace credence::io {

struct FiniteBlock {
  std::size_t read = 0;  ///< rows of the file, up to and with these
  Conversion finite;
  std::vector<std::string> ids;  ///< or empty
};

class FiniteScores {
 public:
  /// The reader must outlive this object. With several threads one of them reads ahead, where
  /// rows come from a file: whoever stops in the middle would have to wait for those of a pipe.
  FiniteScores(ScoreReader& reader, ScoreFile file, RowFilter filter, int threads);
  ~FiniteScores();

  /// The next rows that the filter keeps, a few MB of them; false at the end. Errors are those of
  /// check_scores(), and of rows that the filter wants and the file does not have.
  bool next(FiniteBlock& block);
  /// Threads that are left to work on a block.
  int threads() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace credence::io
