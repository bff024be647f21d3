// Which row of the votes belongs to which row of the scores.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "credence/io.hpp"

namespace credence::io {

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
  /// All rows of both sides, one beside the other: the lists stay empty until they are spelt out.
  std::size_t all_rows = 0;
  std::size_t unmatched_scores = 0, unmatched_others = 0;
  std::vector<std::string> notes;

  std::size_t size() const { return all_rows != 0 ? all_rows : score_rows.size(); }
  /// From here on the lists say it.
  void spell_out();
};

/// Joins `other` (named `what` in messages: "votes") to the scores. Rows that the filter leaves out
/// count neither as matched nor as unmatched.
RowJoin join_rows(const Side& scores, const Side& other, const std::string& what,
                  const RowFilter& filter, bool allow_unmatched);

/// Throws unless both sides have as many rows: without ids on both, rows are matched by position.
void check_row_counts(const Side& scores, const Side& other, const std::string& what);

}  // namespace credence::io
