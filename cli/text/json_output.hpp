// JSON on standard output: keys in the order written, doubles as the shortest text that reads back
// the same, text that is not UTF-8 replaced rather than refused.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace credence::cli {

using Json = nlohmann::ordered_json;

inline std::string to_text(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

/// null for "no value".
template <class T>
Json optional_json(const T& value) {
  return value ? Json(*value) : Json(nullptr);
}

}  // namespace credence::cli
