// Records to JSON and back. Both directions follow the same description of a record's fields
// (Fields<T>::visit), so that what is written can be read.
#pragma once

#include <fmt/format.h>

#include <concepts>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/parallel.hpp"
#include "credence/results.hpp"
#include "io/json/json_node.hpp"

namespace credence::report {

inline constexpr int kFormatVersion = 1;

/// Specialised for every record: `static void visit(auto& see, auto& record)` shows each field to
/// `see`, a RecordWriter or a RecordReader, in the order of the file.
template <class T>
struct Fields;

template <class T>
concept Described = requires {
  sizeof(Fields<T>);
};

/// Nearly all of a document is estimates, so objects are put together member by member: a list of
/// lists would allocate each member apart, and looking names up would compare each with all others.
class RecordWriter {
 public:
  using Json = io::Json;

  explicit RecordWriter(int threads = 1) : threads_(threads) {}

  template <class T>
  static Json to_json(const T& record, int threads = 1) {
    RecordWriter writer(threads);
    Fields<T>::visit(writer, record);
    return writer.take();
  }

  template <class T>
  static Json list(const std::vector<T>& records) {
    return RecordWriter().json(records);
  }

  /// A field that is always there.
  template <class T>
  void operator()(std::string_view key, const T& value) {
    members_.push_back({std::string(key), json(value)});
  }
  /// A field that older files do not have.
  template <class T>
  void later(std::string_view key, const T& value) {
    (*this)(key, value);
  }
  /// A field that is left out when it is empty.
  template <class T>
  void if_any(std::string_view key, const T& value) {
    if (!is_empty(value)) (*this)(key, value);
  }
  /// Text that is null when it is empty.
  void or_null(std::string_view key, const std::string& text) {
    members_.push_back({std::string(key), text.empty() ? Json() : Json(text)});
  }
  /// A number that is null when it is infinite.
  void or_null(std::string_view key, double value) { (*this)(key, value); }
  /// Exactly `size` numbers.
  template <class T>
  void sized(std::string_view key, const std::vector<T>& numbers, std::size_t) {
    (*this)(key, numbers);
  }
  /// A square matrix, row by row.
  void matrix(std::string_view key, const std::vector<double>& numbers, std::size_t size) {
    Json rows = Json::array();
    for (std::size_t k = 0; k < size; ++k) {
      const auto row = numbers.begin() + static_cast<std::ptrdiff_t>(k * size);
      rows.push_back(std::vector<double>(row, row + static_cast<std::ptrdiff_t>(size)));
    }
    members_.push_back({std::string(key), std::move(rows)});
  }
  /// An object within, whose fields `show` shows to its argument.
  template <class Show>
  void object(std::string_view key, Show show) {
    RecordWriter inner;
    show(inner);
    members_.push_back({std::string(key), inner.take()});
  }
  /// The same, left out unless `wanted`.
  template <class Show>
  void object_if(bool wanted, std::string_view key, Show show) {
    if (wanted) object(key, show);
  }
  /// Fields that are all there or all left out; the file has them when it has `first`.
  template <class T, class Show>
  void together(std::string_view, const std::optional<T>& part, Show show) {
    if (part) show(*part);
  }
  void head(std::string_view format) {
    (*this)("format", std::string(format));
    (*this)("version", std::size_t{kFormatVersion});
  }
  void require(bool, const std::string&) {}

  Json take() { return std::move(members_); }

 private:
  static Json json(const std::string& text) { return text; }
  static Json json(bool value) { return value; }
  static Json json(double value) { return value; }  // one that is not finite is written as null
  static Json json(Direction better) { return to_string(better); }
  static Json json(Stop stop) { return to_string(stop); }
  static Json json(Verdict verdict) { return to_string(verdict); }
  template <std::unsigned_integral T>
  static Json json(T value) {
    return value;
  }
  template <class T>
  static Json json(const std::optional<T>& value) {
    return value ? json(*value) : Json();
  }
  static Json json(const std::pair<double, std::size_t>& pair) {
    return Json::array({json(pair.first), json(pair.second)});
  }
  template <Described T>
  static Json json(const T& record) {
    return to_json(record);
  }
  template <class T>
  static Json json(const ByName<T>& all) {
    Json::object_t members;
    members.reserve(all.size());
    for (const auto& [name, value] : all) {
      members.push_back({name, json(value)});
      // Programs that were written for the former name of a metric still find it.
      if (const std::string_view former = former_name(name); !former.empty()) {
        members.push_back({std::string(former), members.back().second});
      }
    }
    return members;
  }
  template <class T>
  Json json(const std::vector<T>& all) {
    Json::array_t list(all.size());
    core::parallel_for(Described<T> ? threads_ : 1, all.size(),
                       [&](std::size_t i) { list[i] = json(all[i]); });
    return list;
  }

  template <class T>
  static bool is_empty(const std::optional<T>& value) {
    return !value;
  }
  template <class T>
  static bool is_empty(const T& value) {
    return value.empty();
  }

  int threads_;
  Json::object_t members_;
};

class RecordReader {
 public:
  explicit RecordReader(const io::JsonNode& node) : node_(node) {}

  template <class T>
  void operator()(std::string_view key, T& value) {
    read(node_[key], value);
  }
  template <class T>
  void later(std::string_view key, T& value) {
    if (node_.has(key)) read(node_[key], value);
  }
  template <class T>
  void if_any(std::string_view key, T& value) {
    later(key, value);
  }
  template <class T>
  void if_any(std::string_view key, std::optional<T>& value) {
    if (node_.has(key)) read(node_[key], value.emplace());
  }
  void or_null(std::string_view key, std::string& text) {
    const io::JsonNode node = node_[key];
    if (!node.is_null()) text = node.string();
  }
  void or_null(std::string_view key, double& value) {
    const io::JsonNode node = node_[key];
    value = node.is_null() ? std::numeric_limits<double>::infinity() : node.number();
  }
  void sized(std::string_view key, std::vector<double>& numbers, std::size_t size) {
    numbers = node_[key].numbers(size);
  }
  void sized(std::string_view key, std::vector<std::size_t>& counts, std::size_t size) {
    const io::JsonNode node = node_[key];
    if (node.array_size() != size) {
      node.fail(fmt::format("expected {} numbers, found {}", size, node.array_size()));
    }
    read(node, counts);
  }
  void matrix(std::string_view key, std::vector<double>& numbers, std::size_t size) {
    const io::JsonNode rows = node_[key];
    require(rows.array_size() == size, fmt::format("expected {} rows, one per class", size));
    for (std::size_t k = 0; k < size; ++k) {
      const std::vector<double> row = rows[k].numbers(size);
      numbers.insert(numbers.end(), row.begin(), row.end());
    }
  }
  template <class Show>
  void object(std::string_view key, Show show) {
    RecordReader inner(node_[key]);
    show(inner);
  }
  template <class Show>
  void object_if(bool, std::string_view key, Show show) {
    if (node_.has(key)) object(key, show);
  }
  template <class T, class Show>
  void together(std::string_view first, std::optional<T>& part, Show show) {
    if (node_.has(first)) show(part.emplace());
  }
  void head(std::string_view format);
  /// Complains about the object whose fields are being shown.
  void require(bool holds, const std::string& message) {
    if (!holds) node_.fail(message);
  }

 private:
  static void read(const io::JsonNode& node, std::string& text) { text = node.string(); }
  static void read(const io::JsonNode& node, double& value) { value = node.number(); }
  static void read(const io::JsonNode& node, bool& value);
  static void read(const io::JsonNode& node, Direction& better);
  static void read(const io::JsonNode& node, Stop& stop);
  static void read(const io::JsonNode& node, Verdict& verdict);
  static void read(const io::JsonNode& node, std::pair<double, std::size_t>& pair);
  template <std::unsigned_integral T>
  static void read(const io::JsonNode& node, T& value) {
    value = static_cast<T>(node.integer(0, std::numeric_limits<T>::max()));
  }
  template <class T>
  static void read(const io::JsonNode& node, std::optional<T>& value) {
    if (!node.is_null()) read(node, value.emplace());
  }
  template <Described T>
  static void read(const io::JsonNode& node, T& record) {
    RecordReader reader(node);
    Fields<T>::visit(reader, record);
  }
  template <class T>
  static void read(const io::JsonNode& node, ByName<T>& all) {
    if (!node.value().is_object()) node.fail("expected an object");
    all.reserve(node.value().size());
    for (const auto& item : node.value().items()) {
      const std::string name(present_name(item.key()));
      if (name != item.key() && node.has(name)) continue;
      read(node[item.key()], all.emplace_back(name, T{}).second);
    }
  }
  template <class T>
  static void read(const io::JsonNode& node, std::vector<T>& all) {
    all.resize(node.array_size());
    for (std::size_t i = 0; i < all.size(); ++i) read(node[i], all[i]);
  }

  io::JsonNode node_;
};

}  // namespace credence::report
