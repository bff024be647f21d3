#include "io/arrow/arrow_column.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <limits>
#include <utility>

#include "credence/error.hpp"
#include "io/npy/npy.hpp"
#include "io/text/number_text.hpp"

namespace credence::io {
namespace {

bool bit(const std::byte* bits, std::size_t i) {
  return (std::to_integer<unsigned>(bits[i / 8]) >> (i % 8) & 1U) != 0;
}

template <class T>
T load(const std::byte* from, std::size_t i) {
  T value;
  std::memcpy(&value, from + i * sizeof(T), sizeof(T));
  return value;
}

// A view of text: its length, then up to 12 bytes of it, or 4 bytes, a buffer and a place in it.
constexpr std::size_t kViewBytes = 16, kInlineBytes = 12;

}  // namespace

std::optional<ArrowType> read_arrow_type(std::string_view format) {
  using enum NumberType;
  constexpr std::pair<std::string_view, NumberType> kNumbers[] = {
      {"c", i8},  {"C", u8},  {"s", i16}, {"S", u16}, {"i", i32}, {"I", u32},
      {"l", i64}, {"L", u64}, {"e", f16}, {"f", f32}, {"g", f64}};
  for (const auto& [letter, type] : kNumbers) {
    if (format == letter) return ArrowType{ArrowKind::number, type};
  }
  if (format == "b") return ArrowType{ArrowKind::bits, boolean};
  if (format == "u") return ArrowType{ArrowKind::text, f64};
  if (format == "U") return ArrowType{ArrowKind::large_text, f64};
  if (format == "vu") return ArrowType{ArrowKind::text_view, f64};
  if (format == "n") return ArrowType{ArrowKind::nothing, f64};
  if (format == "+l") return ArrowType{ArrowKind::list, f64};
  if (format == "+L") return ArrowType{ArrowKind::large_list, f64};
  if (format == "+s") return ArrowType{ArrowKind::structure, f64};
  if (format == "+m") return ArrowType{ArrowKind::map, f64};
  if (format.starts_with("+w:")) {
    ArrowType type{ArrowKind::fixed_list, f64};
    const char* const end = format.data() + format.size();
    const auto read = std::from_chars(format.data() + 3, end, type.size);
    if (read.ec == std::errc() && read.ptr == end) return type;
  }
  return std::nullopt;
}

std::optional<ArrowType> value_type(const ArrowSchema& schema) {
  if (schema.dictionary == nullptr) return read_arrow_type(schema.format);
  const auto index = read_arrow_type(schema.format);
  if (!index || index->kind != ArrowKind::number) return std::nullopt;
  return read_arrow_type(schema.dictionary->format);
}

bool holds_numbers(const ArrowSchema& schema) {
  const auto type = value_type(schema);
  return type && (type->kind == ArrowKind::number || type->kind == ArrowKind::bits);
}

bool holds_cells(const ArrowSchema& schema) {
  const auto type = value_type(schema);
  return type && !is_nested(type->kind);
}

ArrowColumn::ArrowColumn(const ArrowSchema& schema, const ArrowArray& array,
                         std::size_t batch_offset)
    : type_(*read_arrow_type(schema.format)),
      schema_(&schema),
      array_(&array),
      offset_(static_cast<std::size_t>(array.offset) + batch_offset) {}

bool ArrowColumn::is_null(std::size_t row) const {
  if (type_.kind == ArrowKind::nothing) return true;
  const std::byte* const valid = validity();
  return valid != nullptr && !bit(valid, offset_ + row);
}

std::string_view ArrowColumn::plain_text(std::size_t at, std::string& buffer) const {
  switch (type_.kind) {
    case ArrowKind::number:
      return number_text(type_.number, bytes(1) + at * size_of(type_.number), buffer);
    case ArrowKind::bits:
      return bit(bytes(1), at) ? "1" : "0";
    case ArrowKind::text: {
      const auto first = load<std::int32_t>(bytes(1), at),
                 end = load<std::int32_t>(bytes(1), at + 1);
      return {static_cast<const char*>(array_->buffers[2]) + first,
              static_cast<std::size_t>(end - first)};
    }
    case ArrowKind::large_text: {
      const auto first = load<std::int64_t>(bytes(1), at),
                 end = load<std::int64_t>(bytes(1), at + 1);
      return {static_cast<const char*>(array_->buffers[2]) + first,
              static_cast<std::size_t>(end - first)};
    }
    case ArrowKind::text_view: {
      const std::byte* const view = bytes(1) + at * kViewBytes;
      const auto length = static_cast<std::size_t>(load<std::int32_t>(view, 0));
      if (length <= kInlineBytes) return {reinterpret_cast<const char*>(view) + 4, length};
      const auto which = load<std::int32_t>(view, 2), place = load<std::int32_t>(view, 3);
      return {static_cast<const char*>(array_->buffers[2 + which]) + place, length};
    }
    default:
      break;
  }
  return {};
}

std::optional<std::size_t> ArrowColumn::dictionary_row(std::size_t row) const {
  double index = 0.0;
  convert_npy(type_.number, false, bytes(1) + (offset_ + row) * size_of(type_.number), 1, &index);
  if (!(index >= 0.0 && index < static_cast<double>(array_->dictionary->length))) return {};
  return static_cast<std::size_t>(index);
}

std::string_view ArrowColumn::text(std::size_t row, std::string& buffer) const {
  if (is_null(row)) return {};
  if (schema_->dictionary == nullptr) return plain_text(offset_ + row, buffer);
  const auto entry = dictionary_row(row);
  if (!entry) return {};
  return ArrowColumn(*schema_->dictionary, *array_->dictionary, 0).text(*entry, buffer);
}

double ArrowColumn::number(std::size_t row) const {
  constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
  if (is_null(row)) return kMissing;
  if (schema_->dictionary != nullptr) {
    const auto entry = dictionary_row(row);
    return entry ? ArrowColumn(*schema_->dictionary, *array_->dictionary, 0).number(*entry)
                 : kMissing;
  }
  if (type_.kind == ArrowKind::bits) return bit(bytes(1), offset_ + row) ? 1.0 : 0.0;
  double value = 0.0;
  convert_npy(type_.number, false, bytes(1) + (offset_ + row) * size_of(type_.number), 1, &value);
  return value;
}

const std::byte* ArrowColumn::plain_numbers(std::size_t first, std::size_t count,
                                            NumberType& type) const {
  if (type_.kind != ArrowKind::number || schema_->dictionary != nullptr) return nullptr;
  for (std::size_t i = 0; validity() != nullptr && i < count; ++i) {
    if (is_null(first + i)) return nullptr;
  }
  type = type_.number;
  return bytes(1) + (offset_ + first) * size_of(type_.number);
}

void ArrowColumn::numbers(std::size_t first, std::size_t count, double* out,
                          std::size_t stride) const {
  NumberType type{};
  if (const std::byte* const plain = plain_numbers(first, count, type)) {
    convert_npy(type, false, plain, count, out, stride);
    return;
  }
  for (std::size_t i = 0; i < count; ++i) out[i * stride] = number(first + i);
}

ArrowColumn::Range ArrowColumn::items(std::size_t row) const {
  if (type_.kind == ArrowKind::fixed_list) return {(offset_ + row) * type_.size, type_.size};
  const std::size_t at = offset_ + row;
  const bool large = type_.kind == ArrowKind::large_list;
  const std::int64_t first =
      large ? load<std::int64_t>(bytes(1), at) : load<std::int32_t>(bytes(1), at);
  const std::int64_t end =
      large ? load<std::int64_t>(bytes(1), at + 1) : load<std::int32_t>(bytes(1), at + 1);
  if (first < 0 || end < first || end > array_->children[0]->length) {
    throw Error(ErrorCode::data,
                fmt::format("column '{}': the lists are damaged",
                            schema_->name == nullptr ? "" : schema_->name),
                "write the table again");
  }
  return {static_cast<std::size_t>(first), static_cast<std::size_t>(end - first)};
}

ArrowColumn ArrowColumn::child(std::size_t index) const {
  // The rows of a structure are those of its fields; lists point into theirs.
  const std::size_t offset = type_.kind == ArrowKind::structure ? offset_ : 0;
  return {*schema_->children[index], *array_->children[index], offset};
}

}  // namespace credence::io
