// What the readers of votes as JSON share.
#pragma once

#include <fmt/format.h>
#include <simdjson.h>

#include <optional>
#include <string>
#include <string_view>

#include "io/bytes/text_twice.hpp"
#include "io/votes/vote_names.hpp"
#include "io/votes/vote_rows.hpp"

namespace credence::io {

inline std::optional<double> to_number(simdjson::dom::element value) {
  double number = 0.0;
  if (value.is_bool() || value.get(number) != simdjson::SUCCESS) return std::nullopt;
  return number;
}

/// A label written as a string or a number; blank for null.
inline std::optional<std::string> to_label(simdjson::dom::element value) {
  std::string_view text;
  if (value.get(text) == simdjson::SUCCESS) return std::string(text);
  if (value.is_null()) return std::string();
  if (const auto number = to_number(value)) return fmt::format("{}", *number);
  return std::nullopt;
}

inline bool has_key(simdjson::dom::object object, std::string_view key) {
  simdjson::dom::element found;
  return object.at_key(key).get(found) == simdjson::SUCCESS;
}

/// True for one object over the whole file, task by task, as peerannot writes answers.json.
bool holds_answers(TextLines lines);
RawVotes read_answers(const TextTwice& text, const VoteFile& file);

}  // namespace credence::io
