#include "io/json/json_node.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "credence/error.hpp"
#include "credence/text.hpp"

namespace credence::io {
namespace {

/// What a value is, in a message: its type, and the value itself when that is short.
std::string describe(const Json& value) {
  switch (value.type()) {
    case Json::value_t::object:
      return "an object";
    case Json::value_t::array:
      return fmt::format("an array of {}", value.size());
    case Json::value_t::null:
      return "null";
    default:
      break;
  }
  std::string text = to_json_line(value);
  if (text.size() > 40) text = text.substr(0, 40) + "...";
  return text;
}

}  // namespace

std::string json_path(std::string_view parent, std::string_view key) {
  return parent.empty() ? std::string(key) : fmt::format("{}.{}", parent, key);
}

std::string json_path(std::string_view parent, std::size_t index) {
  return fmt::format("{}[{}]", parent, index);
}

std::string place_prefix(std::string_view origin, std::string_view path) {
  return path.empty() ? fmt::format("{}: ", origin) : fmt::format("{}: {}: ", origin, path);
}

void JsonNode::fail(const std::string& message, const std::string& hint, ErrorCode code) const {
  throw Error(code, place_prefix(origin_, path_) + message, hint);
}

void JsonNode::keys(const std::vector<std::string_view>& required,
                    const std::vector<std::string_view>& optional) const {
  if (!value_->is_object()) fail("expected an object, found " + describe(*value_));
  for (const std::string_view key : required) {
    if (!has(key)) fail(fmt::format("key '{}' is missing", key));
  }
  std::vector<std::string_view> known(required);
  known.insert(known.end(), optional.begin(), optional.end());
  for (const auto& item : value_->items()) {
    if (std::find(known.begin(), known.end(), item.key()) != known.end()) continue;
    fail(fmt::format("unknown key '{}'{}", item.key(), did_you_mean(item.key(), known)),
         "additions of your own belong in a top-level object \"extra\"");
  }
}

bool JsonNode::has(std::string_view key) const {
  return value_->is_object() && value_->find(std::string(key)) != value_->end();
}

JsonNode JsonNode::operator[](std::string_view key) const {
  const auto found = value_->is_object() ? value_->find(std::string(key)) : value_->end();
  if (found == value_->end()) fail(fmt::format("key '{}' is missing", key));
  return {*found, origin_, json_path(path_, key)};
}

JsonNode JsonNode::operator[](std::size_t index) const {
  return {value_->at(index), origin_, json_path(path_, index)};
}

std::size_t JsonNode::array_size() const {
  if (!value_->is_array()) fail("expected an array, found " + describe(*value_));
  return value_->size();
}

std::string JsonNode::string() const {
  if (!value_->is_string()) fail("expected a string, found " + describe(*value_));
  return value_->get<std::string>();
}

double JsonNode::number() const {
  if (!value_->is_number()) fail("expected a number, found " + describe(*value_));
  return value_->get<double>();
}

std::uint64_t JsonNode::integer(std::uint64_t low, std::uint64_t high) const {
  const bool whole = value_->is_number_unsigned();
  if (!whole || value_->get<std::uint64_t>() < low || value_->get<std::uint64_t>() > high) {
    fail(fmt::format("expected a whole number from {} to {}, found {}", low, high,
                     describe(*value_)));
  }
  return value_->get<std::uint64_t>();
}

std::vector<double> JsonNode::numbers(std::size_t count) const {
  if (!value_->is_array()) {
    fail(fmt::format("expected {} numbers, found {}", count, describe(*value_)));
  }
  if (value_->size() != count) {
    fail(fmt::format("expected {} numbers, found {}", count, value_->size()));
  }
  std::vector<double> result;
  result.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const Json& item = (*value_)[i];
    result.push_back(item.is_number() ? item.get<double>() : (*this)[i].number());
  }
  return result;
}

}  // namespace credence::io
