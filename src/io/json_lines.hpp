// JSON lines: one object per line, read with simdjson.
#pragma once

#include <simdjson.h>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "io/text_lines.hpp"

namespace credence::io {

/// Objects of a JSON-lines file (plain or gzip'd), one per non-blank line. The element is valid
/// until the next call. Malformed JSON or a line that is not an object is an Error with path:line.
class JsonLines {
 public:
  explicit JsonLines(const std::string& path);
  bool next(simdjson::dom::object& object);
  std::size_t line() const { return lines_.number(); }
  const std::string& path() const { return lines_.path(); }

 private:
  TextLines lines_;
  simdjson::dom::parser parser_;
  std::string padded_;
};

/// An id that may be written as a string or a whole number.
std::string json_id(simdjson::dom::element value, std::string_view path, std::size_t line);

}  // namespace credence::io
