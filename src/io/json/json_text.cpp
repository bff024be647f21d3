#include "io/json/json_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>
#include <vector>

#include "core/parallel.hpp"
#include "credence/error.hpp"
#include "io/json/json_node.hpp"

namespace credence::io {
namespace {

constexpr std::size_t kColumns = 100;

bool is_nested(const Json& value) { return value.is_structured() && !value.empty(); }

/// Appends without a string of its own: results hold numbers by the hundred thousand.
void append_json_number(std::string& out, double value) {
  if (!std::isfinite(value)) {
    out += "null";
    return;
  }
  char buffer[32];
  const std::string_view text(
      buffer,
      static_cast<std::size_t>(std::to_chars(buffer, buffer + sizeof buffer, value).ptr - buffer));
  // JSON readers take -0 for an integer and lose its sign.
  out += text == "-0" ? "-0.0" : text;
}

void append_scalar(std::string& out, const Json& value) {
  if (value.is_number_float()) {
    append_json_number(out, value.get<double>());
  } else {
    out += value.dump(-1, ' ', false, Json::error_handler_t::replace);
  }
}

void append_key(std::string& out, const std::string& key) {
  const bool plain = std::all_of(key.begin(), key.end(), [](char c) {
    return c >= ' ' && c < '\x7f' && c != '"' && c != '\\';
  });
  if (!plain) return append_scalar(out, Json(key));
  out += '"';
  out += key;
  out += '"';
}

void append_line(std::string& out, const Json& value) {
  if (!is_nested(value)) return append_scalar(out, value);
  const bool object = value.is_object();
  out += object ? '{' : '[';
  bool first = true;
  for (const auto& item : value.items()) {
    if (!first) out += ", ";
    first = false;
    if (object) {
      append_key(out, item.key());
      out += ": ";
    }
    append_line(out, item.value());
  }
  out += object ? '}' : ']';
}

bool is_list_of_numbers(const Json& value) {
  return value.is_array() && std::all_of(value.begin(), value.end(), [](const Json& item) {
           return item.is_number() || item.is_null();
         });
}

void append_pretty(std::string& out, const Json& value, std::size_t indent, std::size_t column,
                   int threads);

/// The items of a list, each on lines of its own, written side by side.
std::vector<std::string> pretty_items(const Json& list, std::size_t indent, int threads) {
  std::vector<std::string> texts(list.size());
  core::parallel_for(threads, list.size(),
                     [&](std::size_t i) { append_pretty(texts[i], list[i], indent, indent, 1); });
  return texts;
}

/// `column` is where the value starts, after its key.
void append_pretty(std::string& out, const Json& value, std::size_t indent, std::size_t column,
                   int threads) {
  if (!is_nested(value) || is_list_of_numbers(value)) return append_line(out, value);
  if (std::none_of(value.begin(), value.end(), is_nested)) {
    const std::size_t start = out.size();
    append_line(out, value);
    if (column + (out.size() - start) < kColumns) return;  // one column is left for a comma
    out.resize(start);
  }
  const bool object = value.is_object();
  const std::vector<std::string> side_by_side = threads > 1 && !object && value.size() > 1
                                                    ? pretty_items(value, indent + 2, threads)
                                                    : std::vector<std::string>{};
  out += object ? '{' : '[';
  std::size_t i = 0;
  for (const auto& item : value.items()) {
    out += i == 0 ? "\n" : ",\n";
    const std::size_t line = out.size();
    out.append(indent + 2, ' ');
    if (object) {
      append_key(out, item.key());
      out += ": ";
    }
    if (side_by_side.empty()) {
      append_pretty(out, item.value(), indent + 2, out.size() - line, threads);
    } else {
      out += side_by_side[i];
    }
    ++i;
  }
  out += '\n';
  out.append(indent, ' ');
  out += object ? '}' : ']';
}

/// Follows the parser to know where it is: keys seen in each open object, and the path to here.
class Watch {
 public:
  explicit Watch(std::string_view origin) : origin_(origin) {}

  bool operator()(int depth, nlohmann::json::parse_event_t event, const Json& parsed) {
    using Event = nlohmann::json::parse_event_t;
    switch (event) {
      case Event::object_start:
      case Event::array_start:
        enter_element();
        if (depth >= kMaxJsonDepth) {
          throw Error(ErrorCode::model,
                      fmt::format("{}: nested more than {} levels deep", origin_, kMaxJsonDepth));
        }
        open_.push_back({event == Event::array_start, 0, {}, {}});
        break;
      case Event::object_end:
      case Event::array_end:
        open_.pop_back();
        break;
      case Event::key: {
        Level& level = open_.back();
        level.key = parsed.get_ref<const std::string&>();
        if (!level.keys.insert(level.key).second) {
          throw Error(ErrorCode::model, place() + "key given twice");
        }
        if (level.keys.size() > kMaxJsonKeys) {
          throw Error(ErrorCode::model,
                      fmt::format("{}more than {} keys in one object", place(), kMaxJsonKeys));
        }
        break;
      }
      case Event::value:
        enter_element();
        break;
    }
    return true;
  }

  /// `origin: path: ` of the value being read.
  std::string place() const {
    std::string path;
    for (const Level& level : open_) {
      path = level.array ? json_path(path, level.count == 0 ? 0 : level.count - 1)
                         : json_path(path, level.key);
    }
    return place_prefix(origin_, path);
  }

  /// A number that does not fit fails before its `value` event.
  void enter_element() {
    if (!open_.empty() && open_.back().array) ++open_.back().count;
  }

 private:
  struct Level {
    bool array;
    std::size_t count;
    std::string key;
    std::set<std::string> keys;
  };
  std::string_view origin_;
  std::vector<Level> open_;
};

/// "line 3, column 14" of a byte.
std::string line_and_column(std::string_view text, std::size_t byte) {
  const std::string_view before = text.substr(0, std::min(byte, text.size()));
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const std::size_t start = before.rfind('\n');
  const std::size_t column = before.size() - (start == std::string_view::npos ? 0 : start + 1);
  return fmt::format("line {}, column {}", line, column);
}

}  // namespace

std::string json_number(double value) {
  std::string text;
  append_json_number(text, value);
  return text;
}

std::string to_json_text(const Json& value, int threads) {
  std::string out;
  append_pretty(out, value, 0, 0, core::resolve_threads(threads));
  out += '\n';
  return out;
}

std::string to_json_line(const Json& value) {
  std::string out;
  append_line(out, value);
  return out;
}

Json parse_json(std::string_view text, std::string_view origin, std::string_view writer) {
  Watch watch(origin);
  try {
    return Json::parse(text.begin(), text.end(),
                       [&](int depth, nlohmann::json::parse_event_t event, Json& parsed) {
                         return watch(depth, event, parsed);
                       });
  } catch (const nlohmann::json::parse_error& error) {
    // The parser's message ends in what it found and expected, after its own account of the place.
    const std::string_view what = error.what();
    const std::size_t reason = what.find(": ");
    throw Error(ErrorCode::format,
                fmt::format("{}: {}: not valid JSON: {}", origin, line_and_column(text, error.byte),
                            reason == std::string_view::npos ? what : what.substr(reason + 2)),
                fmt::format("{}; was it cut short or edited?", writer));
  } catch (const nlohmann::json::out_of_range&) {
    watch.enter_element();
    throw Error(ErrorCode::model, watch.place() + "number out of the range of float64");
  }
}

}  // namespace credence::io
