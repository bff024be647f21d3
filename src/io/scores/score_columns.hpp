// What the columns of a table of scores are: an id, and classes with names or only numbers.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "credence/dataset.hpp"

namespace credence::io {

/// What fields and columns with all scores of a row are usually called, most telling first.
std::vector<std::string_view> usual_score_fields(ScoreKind kind);

inline constexpr std::size_t kNoColumn = static_cast<std::size_t>(-1);

/// "0", "1", ... "K-1" (or "1" ... "K"), alone or behind one of the prefixes that tools put before
/// a column number: the header numbers the classes and does not name them.
bool are_positions(std::span<const std::string_view> names);

/// The column with the ids: that named `id_field`, else one with a usual name, else a first one
/// without a name (pandas leaves the name of its index blank), else kNoColumn. A field that is
/// asked for and not there is an Error that begins with `where`.
std::size_t find_id_column(std::span<const std::string> header, const std::string& id_field,
                           const std::string& where);

/// True where a first column without a name stands beside a column of ids: data frames write their
/// index so.
bool has_index_beside(std::span<const std::string> header, std::size_t id_column);
/// An Error unless the cell of such a column is a whole number: it might be a score.
void check_index_cell(std::string_view cell, const std::string& where);
/// Tells that the column is left out.
std::string index_note(const std::string& path);

}  // namespace credence::io
