// The scores of a file as finite float32 numbers, some rows at a time, as often as wanted.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "credence/io.hpp"
#include "io/bytes/input_guard.hpp"
#include "io/join/join_scores.hpp"
#include "io/npy/npy.hpp"

namespace credence::io {

struct ScoreChunk {
  std::vector<float> scores;          ///< finite logits or log-probabilities
  std::vector<double> probabilities;  ///< as stored, when they are kept
  std::vector<std::string> ids;       ///< or empty
  std::size_t rows = 0;
  std::size_t clipped = 0;  ///< scores that were raised
};

class ScoreBlocks {
 public:
  /// `keep_probabilities` is for scores that are some.
  ScoreBlocks(ScoreFile file, bool keep_probabilities);

  std::size_t cols() const { return cols_; }
  /// Where the format tells, or once everything was read.
  std::optional<std::size_t> rows() const { return rows_; }
  const std::vector<std::string>& classes() const { return classes_; }
  const std::string& form() const { return form_; }
  /// What the user should confirm; complete once everything was read.
  std::vector<std::string> notes() const;

  /// Back to the first row.
  void rewind();
  /// The next rows, at most `most`; none at the end. The first time every row is checked.
  void read(std::size_t most, ScoreChunk& chunk);

 private:
  void open();
  void read_floats(std::size_t most, ScoreChunk& chunk);
  void read_numbers(std::size_t most, ScoreChunk& chunk);
  void finish_logits(ScoreChunk& chunk);

  ScoreFile file_;
  std::string name_;  // for messages
  bool keep_;
  std::size_t cols_ = 0, next_row_ = 0;
  std::optional<std::size_t> rows_;
  std::vector<std::string> classes_, reader_notes_;
  std::string form_;
  bool checked_ = false, any_to_raise_ = false;
  ScoreDoubts doubts_;

  std::unique_ptr<ScoreReader> reader_;
  std::vector<double> numbers_;
  // float32 .npy files are read straight into place.
  std::optional<NpyHeader> floats_;
  FileHandle direct_;
  FileState state_;
};

}  // namespace credence::io
