// Everything that a score file holds, read in blocks.
#pragma once

#include <string>
#include <vector>

#include "credence/io.hpp"
#include "unit/io/files.hpp"

namespace credence::test {

struct ScoreRows {
  std::size_t cols = 0;
  std::vector<double> values;
  std::vector<std::string> ids, classes, notes;
};

/// In blocks of `step` rows.
inline ScoreRows read_score_rows(const io::ScoreFile& file, std::size_t step = 2) {
  const auto reader = io::open_scores(file);
  ScoreRows all;
  all.cols = reader->cols();
  all.classes = reader->classes();
  all.notes = reader->notes();
  Matrix<double> block(step, all.cols);
  std::vector<std::string> ids;
  while (const std::size_t count = reader->read(block.view(), &ids)) {
    all.values.insert(all.values.end(), block.data(), block.data() + count * all.cols);
    EXPECT_EQ(ids.size(), reader->has_ids() ? count : 0u);
    all.ids.insert(all.ids.end(), ids.begin(), ids.end());
  }
  EXPECT_EQ(reader->read(block.view(), &ids), 0u);
  return all;
}
inline ScoreRows read_score_rows(const std::string& path) {
  return read_score_rows(io::ScoreFile{.path = path});
}

}  // namespace credence::test
