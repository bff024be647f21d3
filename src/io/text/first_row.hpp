// A first row is a header or holds values; where it mixes names with numbers, a wrong guess would
// lose an example without a word.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace credence::io {

/// A cell that cannot be a value of a table of numbers: neither a number nor blank.
bool is_name_cell(std::string_view cell);
/// A number, and not one of the ways tools write a missing value.
bool is_number_cell(std::string_view cell);

/// Names and numbers side by side.
bool mixes_names_and_numbers(std::span<const std::string_view> cells);

/// True when a mixed row can only be a header: one of its names is usual for a column (id, label,
/// worker, ...) or among `own_names`, and its numbers are different whole numbers, names of classes
/// as in `id,0,1,2`.
bool names_columns(std::span<const std::string_view> cells, std::span<const std::string> own_names);

/// Throws Error(format) naming the cell that does not fit the others.
[[noreturn]] void refuse_mixed_row(std::span<const std::string_view> cells,
                                   const std::string& place);

}  // namespace credence::io
