// Text on its way to people, as every front end writes it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace credence {

/// 12345678 -> "12,345,678".
std::string grouped_digits(std::size_t value);

/// A cell of a CSV file, quoted as RFC 4180 asks where it has to be.
std::string csv_quoted(std::string_view cell);

/// Text from elsewhere (names in files, paths) made safe to show: control characters and bytes that
/// are no text as \xNN, marks that reorder it as \uNNNN. It cannot move the cursor, pretend to be
/// another line or turn its surroundings around.
std::string printable(std::string_view text);

/// "; did you mean 'slts'?" to end a message about an unknown word with, or nothing when no known
/// name is close enough to be a slip of the hand.
std::string did_you_mean(std::string_view word, const std::vector<std::string_view>& known);

}  // namespace credence
