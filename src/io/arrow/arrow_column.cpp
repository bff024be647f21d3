#include "io/arrow/arrow_column.hpp"

#include <cstring>
#include <limits>
#include <utility>

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
  return std::nullopt;
}

ArrowColumn::ArrowColumn(const ArrowSchema& schema, const ArrowArray& array,
                         std::size_t batch_offset)
    : type_(*read_arrow_type(schema.format)),
      schema_(&schema),
      array_(&array),
      offset_(static_cast<std::size_t>(array.offset) + batch_offset) {}

bool ArrowColumn::is_null(std::size_t row) const {
  if (type_.kind == ArrowKind::nothing) return true;
  const std::byte* validity = array_->null_count == 0 ? nullptr : bytes(0);
  return validity != nullptr && !bit(validity, offset_ + row);
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
    case ArrowKind::nothing:
      break;
  }
  return {};
}

std::string_view ArrowColumn::text(std::size_t row, std::string& buffer) const {
  if (is_null(row)) return {};
  if (schema_->dictionary == nullptr) return plain_text(offset_ + row, buffer);
  double index = 0.0;
  convert_npy(type_.number, false, bytes(1) + (offset_ + row) * size_of(type_.number), 1, &index);
  if (!(index >= 0.0 && index < static_cast<double>(array_->dictionary->length))) return {};
  return ArrowColumn(*schema_->dictionary, *array_->dictionary, 0)
      .text(static_cast<std::size_t>(index), buffer);
}

double ArrowColumn::number(std::size_t row) const {
  if (is_null(row)) return std::numeric_limits<double>::quiet_NaN();
  if (type_.kind == ArrowKind::bits) return bit(bytes(1), offset_ + row) ? 1.0 : 0.0;
  double value = 0.0;
  convert_npy(type_.number, false, bytes(1) + (offset_ + row) * size_of(type_.number), 1, &value);
  return value;
}

}  // namespace credence::io
