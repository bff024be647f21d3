// JSON lines: one object per line, read with simdjson.
#pragma once

#include <simdjson.h>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "io/bytes/text_lines.hpp"

namespace credence::io {

/// Objects of a JSON-lines file (plain or gzip'd), one per non-blank line; or the objects of one
/// top-level array, however it is laid out. The element is valid until the next call. Malformed
/// JSON, an item that is not an object, or a key given twice is an Error with path:line.
class JsonLines {
 public:
  explicit JsonLines(const std::string& path);
  explicit JsonLines(TextLines lines);
  bool next(simdjson::dom::object& object);
  /// The text of the next object, not looked at, for those who can read it faster; parse() then
  /// gives the object itself. False at the end.
  bool next_text(std::string_view& text);
  void parse(simdjson::dom::object& object);
  /// 1-based line where the object last returned starts.
  std::size_t line() const { return line_; }
  const std::string& path() const { return lines_.path(); }

 private:
  bool next_line_object();
  bool next_array_object();
  char next_char();
  void take_object();

  enum class Layout { unknown, lines, array, array_done };
  TextLines lines_;
  simdjson::dom::parser parser_;
  std::string_view text_;  // of the object last returned
  std::string padded_;     // the same once more where simdjson, which reads past its end, gets it
  Layout layout_ = Layout::unknown;
  std::string_view rest_;  // array layout: of the current line
  std::size_t objects_ = 0;
  std::size_t line_ = 0;
};

/// Throws when an object in `value`, or `value` itself, has a key twice: which of the two counts is
/// anybody's guess. `place` is "path:line" or "path".
void check_unique_keys(simdjson::dom::element value, const std::string& place);

/// An id that may be written as a string or a whole number.
std::string json_id(simdjson::dom::element value, std::string_view path, std::size_t line);

/// "an array", "a string", ...: for messages.
std::string_view json_type_name(simdjson::dom::element value);

}  // namespace credence::io
