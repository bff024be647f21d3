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
  /// What is given must outlive this object. `ahead`: on a thread of their own, two blocks ahead.
  FiniteScores(ScoreReader& reader, const ScoreFile& file, const RowFilter& filter, bool ahead);
  ~FiniteScores();

  /// The next rows that the filter keeps, of a few MB; false at the end. Errors are those of
  /// check_scores(), and of rows that the filter wants and the file has not.
  bool next(FiniteBlock& block);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace credence::io
