// Votes in a column of lists, structures or maps of an Arrow table: counts per class, labels,
// labels with their annotators, counts by class name.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/arrow/arrow_batches.hpp"
#include "io/votes/vote_rows.hpp"

namespace credence::io {

/// The columns of a table that matter, by name; empty: there is none.
struct NestedChoice {
  std::string votes, id, annotators;
};
/// ‹votes_field›; else nested columns with a usual name; else the only nested column of a table
/// whose other columns are no votes. Nothing where the votes stand in cells.
std::optional<NestedChoice> choose_nested_votes(const std::vector<ArrowField>& fields,
                                                const VoteFile& file);

/// A file of tables as its readers want it: the column named behind its path in ‹votes_field›, and
/// messages that speak of rows instead of lines.
VoteFile votes_in_table(const VoteFile& file);

/// `batches` may have more columns than are chosen.
std::unique_ptr<VotePieces> open_nested_votes(std::unique_ptr<ArrowBatches> batches,
                                              const NestedChoice& choice, const VoteFile& file);

}  // namespace credence::io
