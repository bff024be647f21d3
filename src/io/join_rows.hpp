// Which row of the votes belongs to which row of the scores, and which rows are wanted.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "credence/io.hpp"

namespace credence::io {

/// --rows and --skip-rows. Rows are those of the score file.
class RowFilter {
 public:
  RowFilter() = default;
  RowFilter(const std::string& rows_path, const std::string& skip_path);
  bool keeps(std::size_t row) const {
    if (restricted_ && !std::ranges::binary_search(listed_, row)) return false;
    return !std::ranges::binary_search(skipped_, row);
  }
  bool keeps_all() const { return !restricted_ && skipped_.empty(); }
  /// A listed row that the score file does not have is an Error.
  void check_range(std::size_t rows, const std::string& score_path) const;

 private:
  bool restricted_ = false;
  std::vector<std::size_t> listed_, skipped_;  // ascending
  std::string rows_path_, skip_path_;
};

/// One side of a join.
struct Side {
  const std::vector<std::string>& ids;  ///< empty: rows only
  std::size_t rows = 0;
  std::string path;
  bool gathered = false;  ///< rows stand in order of first appearance
};

struct RowJoin {
  std::string by;                                   ///< "id" or "row"
  std::vector<std::size_t> score_rows, other_rows;  ///< pairs, in the order of the scores
  std::size_t unmatched_scores = 0, unmatched_others = 0;
  std::vector<std::string> notes;
};

/// Joins `other` (named `what` in messages: "votes") to the scores. Rows that the filter leaves out
/// count neither as matched nor as unmatched.
RowJoin join_rows(const Side& scores, const Side& other, const std::string& what,
                  const RowFilter& filter, bool allow_unmatched);

}  // namespace credence::io
