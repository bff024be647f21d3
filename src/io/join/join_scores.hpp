// A score file read, checked and made finite, ready to be joined.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "credence/io.hpp"
#include "io/join/join_rows.hpp"

namespace credence::io {

struct CheckedScores {
  Scores view;  ///< finite logits or log-probabilities, all rows of the file
  std::shared_ptr<const void> owner;
  std::vector<std::string> ids, classes;
  std::vector<std::uint32_t> clipped;  ///< entries raised, by row; empty when none
  Matrix<double> probabilities;        ///< as stored, when asked for
  std::string form;
  bool unnamed_ids = false;                 ///< from a column without a name
  bool one_column = false;                  ///< in the file, for two classes
  bool are_probabilities = false;           ///< `view` has them as given
  std::shared_ptr<const ScoreTrace> trace;  ///< of `view`, when asked for and at hand
  std::vector<std::string> notes;
};

/// Likely mistakes, such as probabilities given as logits: reported, never corrected.
class ScoreDoubts {
 public:
  /// `one_column`: the file has one column, and the first of the two was added.
  explicit ScoreDoubts(ScoreKind kind, bool one_column = false)
      : all_probabilities_(kind == ScoreKind::logits),
        log_probs_(kind == ScoreKind::log_probs),
        one_column_(one_column) {}
  void add(std::span<const float> row);
  std::vector<std::string> notes() const;
  /// No row can change the notes any more.
  bool settled() const { return !all_probabilities_ && !(log_probs_ && !above_zero_); }

 private:
  bool all_probabilities_, log_probs_, one_column_, above_zero_ = false;
};

/// Throws for a table without rows or with a single column.
void check_score_shape(std::size_t rows, std::size_t cols, const std::string& path);

/// Rows that the filter leaves out are not checked, so that a bad row can be skipped. Float32 .npy
/// logits stay mapped; probabilities are converted while they are read, never held in double
/// unless they are to be kept.
CheckedScores read_checked_scores(const ScoreFile& file, const RowFilter& filter,
                                  const LoadOptions& options);

}  // namespace credence::io
