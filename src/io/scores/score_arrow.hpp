// Scores in an Arrow table, batch by batch: a column of lists, or a column per class.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "credence/io.hpp"
#include "io/arrow/arrow_batches.hpp"

namespace credence::io {

/// The columns of a table that matter, by name.
struct ScoreChoice {
  std::string id;                    ///< empty: no ids
  bool has_id = false;               ///< a column without a name may hold them
  std::vector<std::string> columns;  ///< one with lists of numbers, or one per class
  bool are_lists = false;
  bool index_beside = false;  ///< an unnamed index of a data frame is left out
};
/// The column ‹scores_field›; else lists of numbers with a usual name, or the only ones there are;
/// else every column but the id. Anything else is an Error that names the columns.
ScoreChoice choose_scores(const std::vector<ArrowField>& fields, const ScoreFile& file);

/// `batches` may have more columns than are chosen. `rows`, where it is known; `ids`, where they
/// are given besides.
std::unique_ptr<ScoreReader> open_arrow_scores(std::unique_ptr<ArrowBatches> batches,
                                               ScoreChoice choice, std::optional<std::size_t> rows,
                                               const std::vector<std::string>* ids = nullptr);

}  // namespace credence::io
