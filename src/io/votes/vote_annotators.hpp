// An array with one row per example and one column per annotator: class indices, -1 or NaN where
// nobody answered.
#pragma once

#include <cstddef>
#include <span>

#include "io/votes/vote_rows.hpp"

namespace credence::io {

/// What tells labels from counts, gathered while the rows go by.
class LabelScan {
 public:
  void look(std::span<const double> row);
  /// Whole numbers from -1 on, and -1 or NaN among them: neither is a number of votes.
  bool are_labels_with_gaps() const { return all_labels_ && gaps_ != 0; }
  double largest() const { return largest_; }

 private:
  bool all_labels_ = true;
  std::size_t gaps_ = 0;
  double largest_ = -1.0;
};

/// Whether a scan can say that the columns are annotators: as many columns as classes are counts.
bool may_hold_annotators(std::size_t cols, const VoteFile& file);
/// True when the columns are annotators: because ‹votes_format› says so, or because there are gaps
/// and not as many columns as classes. With as many, -1 may as well be a bad count.
bool holds_annotators(const LabelScan& scan, std::size_t cols, const VoteFile& file);

RawVotes read_annotators(const MatrixRows& matrix, std::size_t cols, const VoteFile& file);

}  // namespace credence::io
