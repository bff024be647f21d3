// A JSON value that knows where it stands, so that every complaint can name the place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "credence/error.hpp"
#include "io/json/json_text.hpp"

namespace credence::io {

/// `a.b` and `a[3]`: the path of a member or an element.
std::string json_path(std::string_view parent, std::string_view key);
std::string json_path(std::string_view parent, std::size_t index);
/// "origin: path: ", or "origin: " at the root.
std::string place_prefix(std::string_view origin, std::string_view path);

/// A view of a value inside a parsed document. Accessors check the type and throw Error(model)
/// like `model.json: stages[0].parameters.weights: expected 10 numbers, found 9`.
class JsonNode {
 public:
  JsonNode(const Json& value, std::string_view origin) : value_(&value), origin_(origin) {}

  /// An object must hold every key of `required`, and no other than those and `optional`.
  void keys(std::initializer_list<std::string_view> required,
            std::initializer_list<std::string_view> optional = {}) const {
    keys(std::vector(required), std::vector(optional));
  }
  void keys(const std::vector<std::string_view>& required,
            const std::vector<std::string_view>& optional) const;
  bool has(std::string_view key) const;
  JsonNode operator[](std::string_view key) const;
  JsonNode operator[](std::size_t index) const;

  bool is_null() const { return value_->is_null(); }
  const Json& value() const { return *value_; }
  std::size_t array_size() const;
  std::string string() const;
  double number() const;
  /// A whole number in [low, high].
  std::uint64_t integer(std::uint64_t low, std::uint64_t high) const;
  std::vector<double> numbers(std::size_t count) const;

  [[noreturn]] void fail(const std::string& message, const std::string& hint = {},
                         ErrorCode code = ErrorCode::model) const;

 private:
  JsonNode(const Json& value, std::string_view origin, std::string path)
      : value_(&value), origin_(origin), path_(std::move(path)) {}

  const Json* value_;
  std::string_view origin_;
  std::string path_;
};

}  // namespace credence::io
