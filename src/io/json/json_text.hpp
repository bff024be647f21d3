// JSON as text: one stable, readable way to write it, one strict way to read it.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace credence::io {

/// Keys keep the order in which they were added.
using Json = nlohmann::ordered_json;

/// null for "no value".
template <class T>
Json optional_json(const T& value) {
  return value ? Json(*value) : Json(nullptr);
}

/// The shortest decimal text that reads back as the same double; `null` when it is not finite.
std::string json_number(double value);

/// Pretty text with a final line break. An array of numbers stays on one line (a matrix is one row
/// per line); other small values without nesting share a line when it fits in 100 columns. Equal
/// values give equal bytes, for any number of threads. Bytes that are not UTF-8 become U+FFFD.
std::string to_json_text(const Json& value, int threads = 1);

/// The same on a single line without a line break: for JSON lines.
std::string to_json_line(const Json& value);

/// Deeper nesting, or more keys in one object (found by walking through them), is refused.
inline constexpr int kMaxJsonDepth = 64;
inline constexpr std::size_t kMaxJsonKeys = 10000;

/// Reads one JSON value. Malformed text, a key given twice in one object, a number beyond the range
/// of double, or a limit exceeded is an Error(model) naming `origin` and the place. `writer` says
/// what writes such files, for whoever gave another one.
Json parse_json(std::string_view text, std::string_view origin, std::string_view writer);

}  // namespace credence::io
