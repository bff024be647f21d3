// Objects such as {"id": "a7", "probs": [0.1, 0.9]}, read straight from the text: most lines of
// most files are no more than that, and a reader for all of JSON takes twice as long over them.
#pragma once

#include <span>
#include <string_view>

namespace credence::io {

/// Reads the array of numbers.size() numbers in `numbers_field`, and the id, a string or a whole
/// number, in `id_field` where that has a name. False for whatever is not as plain as that, whether
/// it is valid JSON or not: escapes, letters beyond ASCII, nested values, keys given twice, numbers
/// that JSON does not know. What is true here is valid JSON with the same values.
bool read_plain_object(std::string_view text, std::string_view numbers_field,
                       std::string_view id_field, std::span<double> numbers, std::string_view& id);

}  // namespace credence::io
