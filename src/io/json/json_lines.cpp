#include "io/json/json_lines.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "credence/error.hpp"

namespace credence::io {
namespace {

// An object of a top-level array that is never closed must not swallow a large file.
constexpr std::size_t kLongestObject = std::size_t{1} << 30;

constexpr std::string_view kBlank = " \t\r";

std::string_view without_leading_blanks(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlank);
  return first == std::string_view::npos ? std::string_view{} : text.substr(first);
}

}  // namespace

JsonLines::JsonLines(const std::string& path) : JsonLines(TextLines(path)) {}

JsonLines::JsonLines(TextLines lines) : lines_(std::move(lines)) {}

bool JsonLines::next(simdjson::dom::object& object) {
  std::string_view text;
  if (!next_text(text)) return false;
  parse(object);
  return true;
}

bool JsonLines::next_text(std::string_view& text) {
  if (layout_ == Layout::unknown) {
    std::string_view line;
    do {
      if (!lines_.next(line)) return false;
      rest_ = without_leading_blanks(line);
    } while (rest_.empty());
    if (rest_[0] == '[') {
      layout_ = Layout::array;
      rest_.remove_prefix(1);
    } else {
      layout_ = Layout::lines;
    }
  }
  if (!(layout_ == Layout::lines ? next_line_object() : next_array_object())) return false;
  ++objects_;
  text = text_;
  return true;
}

bool JsonLines::next_line_object() {
  while (rest_.empty()) {
    std::string_view line;
    if (!lines_.next(line)) return false;
    rest_ = without_leading_blanks(line);
  }
  line_ = lines_.number();
  text_ = std::exchange(rest_, {});
  return true;
}

// The next character that is not blank, left at the front of rest_; NUL at the end of the file.
char JsonLines::next_char() {
  for (;;) {
    rest_ = without_leading_blanks(rest_);
    if (!rest_.empty()) return rest_[0];
    if (!lines_.next(rest_)) return '\0';
  }
}

bool JsonLines::next_array_object() {
  if (layout_ == Layout::array_done) return false;
  const auto refuse = [this](std::string_view what, std::string_view hint = {}) {
    throw Error(ErrorCode::format, fmt::format("{}:{}: {}", path(), lines_.number(), what),
                std::string(hint));
  };
  char c = next_char();
  if (objects_ > 0 && c == ',') {
    rest_.remove_prefix(1);
    c = next_char();
    if (c == ']') refuse("not valid JSON: a comma before the end of the array");
  } else if (objects_ > 0 && c != ']' && c != '\0') {
    refuse("not valid JSON: expected ',' or ']' between objects");
  }
  if (c == '\0') refuse("the array is never closed: the file ends early");
  if (c == ']') {
    rest_.remove_prefix(1);
    if (next_char() != '\0') refuse("not valid JSON: text after the end of the array");
    layout_ = Layout::array_done;
    return false;
  }
  if (c != '{') {
    refuse(fmt::format("expected an object, found {}", excerpt(rest_)),
           "write one JSON object per line, or one array of objects");
  }
  take_object();
  text_ = padded_;
  return true;
}

// Moves the text up to the brace that closes the object from rest_ to padded_.
void JsonLines::take_object() {
  line_ = lines_.number();
  padded_.clear();
  std::size_t depth = 0;
  bool in_string = false, escaped = false;
  for (;;) {
    for (std::size_t i = 0; i < rest_.size(); ++i) {
      const char c = rest_[i];
      if (in_string) {
        if (escaped) {
          escaped = false;
        } else if (c == '\\') {
          escaped = true;
        } else if (c == '"') {
          in_string = false;
        }
      } else if (c == '"') {
        in_string = true;
      } else if (c == '{') {
        ++depth;
      } else if (c == '}' && --depth == 0) {
        padded_.append(rest_.substr(0, i + 1));
        rest_.remove_prefix(i + 1);
        return;
      }
    }
    padded_.append(rest_);
    padded_ += '\n';
    if (padded_.size() > kLongestObject || !lines_.next(rest_)) {
      throw Error(ErrorCode::format,
                  fmt::format("{}:{}: an object starts here and is never closed", path(), line_));
    }
  }
}

void JsonLines::parse(simdjson::dom::object& object) {
  if (text_.data() != padded_.data()) padded_.assign(text_);
  const std::size_t length = padded_.size();
  padded_.append(simdjson::SIMDJSON_PADDING, ' ');
  simdjson::dom::element element;
  const auto error = parser_.parse(padded_.data(), length, false).get(element);
  if (error == simdjson::MEMALLOC) throw std::bad_alloc();
  if (error) {
    const std::string_view text(padded_.data(), length);
    std::string hint = "write one JSON object per line";
    if (text.find("NaN") != text.npos || text.find("Infinity") != text.npos) {
      hint = "JSON has no NaN or Infinity; a score of -Infinity may be written \"-inf\", in quotes";
    }
    throw Error(
        ErrorCode::format,
        fmt::format("{}:{}: not valid JSON: {}", path(), line_, simdjson::error_message(error)),
        std::move(hint));
  }
  if (element.get(object)) {
    throw Error(
        ErrorCode::format,
        fmt::format("{}:{}: expected an object, found {}", path(), line_, json_type_name(element)),
        "write one JSON object per line, or one array of objects");
  }
  check_unique_keys(element, fmt::format("{}:{}", path(), line_));
}

void check_unique_keys(simdjson::dom::element value, const std::string& place) {
  simdjson::dom::array list;
  simdjson::dom::object object;
  if (!value.get(list)) {
    // Lists of numbers and strings, which are most of a file, are not walked through.
    for (const simdjson::dom::element item : list) {
      if (!item.is_object() && !item.is_array()) break;
      check_unique_keys(item, place);
    }
  }
  if (value.get(object)) return;
  std::vector<std::string_view> keys;
  keys.reserve(object.size());
  for (const auto field : object) {
    keys.push_back(field.key);
    if (field.value.is_object() || field.value.is_array()) check_unique_keys(field.value, place);
  }
  std::ranges::sort(keys);
  const auto twice = std::ranges::adjacent_find(keys);
  if (twice == keys.end()) return;
  throw Error(ErrorCode::format, fmt::format("{}: key {} given twice", place, excerpt(*twice)),
              "keep one of the two; programs do not agree which of them counts");
}

std::string json_id(simdjson::dom::element value, std::string_view path, std::size_t line) {
  std::string_view text;
  std::int64_t whole = 0;
  std::uint64_t large = 0;
  double number = 0.0;
  if (!value.get(text)) return std::string(text);
  if (!value.get(whole)) return fmt::format("{}", whole);
  if (!value.get(large)) return fmt::format("{}", large);
  // pandas writes a column of whole numbers with a gap as 12.0.
  if (!value.get(number) && number == std::floor(number) && std::abs(number) < 0x1p53) {
    return fmt::format("{}", static_cast<std::int64_t>(number));
  }
  throw Error(ErrorCode::data,
              fmt::format("{}:{}: the id is {}; it must be a string or a whole number", path, line,
                          json_type_name(value)));
}

std::string_view json_type_name(simdjson::dom::element value) {
  using simdjson::dom::element_type;
  switch (value.type()) {
    case element_type::ARRAY:
      return "an array";
    case element_type::OBJECT:
      return "an object";
    case element_type::INT64:
    case element_type::UINT64:
      return "a whole number";
    case element_type::DOUBLE:
      return "a number";
    case element_type::STRING:
      return "a string";
    case element_type::BOOL:
      return "true or false";
    case element_type::NULL_VALUE:
      return "null";
  }
  return "something else";
}

}  // namespace credence::io
