// One column of one batch of an Arrow stream, read in place.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "credence/memory.hpp"

namespace credence::io {

/// What the columns of a stream hold, by the letters of the Arrow format string.
enum class ArrowKind {
  number,
  bits,
  text,
  large_text,
  text_view,
  nothing,
  list,
  large_list,
  fixed_list,
  structure,
  map,
};

struct ArrowType {
  ArrowKind kind = ArrowKind::nothing;
  NumberType number = NumberType::f64;
  std::size_t size = 0;  ///< items of a list of fixed size
};

/// Empty for types that we do not read (dates, unions, ...).
std::optional<ArrowType> read_arrow_type(std::string_view format);

constexpr bool is_list(ArrowKind kind) {
  return kind == ArrowKind::list || kind == ArrowKind::large_list || kind == ArrowKind::fixed_list;
}
constexpr bool is_nested(ArrowKind kind) {
  return is_list(kind) || kind == ArrowKind::structure || kind == ArrowKind::map;
}

/// The type of the values: behind a dictionary, that of its entries.
std::optional<ArrowType> value_type(const ArrowSchema& schema);
/// A number or a truth value in every cell.
bool holds_numbers(const ArrowSchema& schema);
/// Numbers or text, also behind a dictionary: what fits in a cell of a text file.
bool holds_cells(const ArrowSchema& schema);

class ArrowColumn {
 public:
  /// `schema` describes `array`; both outlive this.
  ArrowColumn(const ArrowSchema& schema, const ArrowArray& array, std::size_t batch_offset);
  bool is_null(std::size_t row) const;
  std::string_view text(std::size_t row, std::string& buffer) const;
  double number(std::size_t row) const;
  /// Rows [first, first + count) of a column of numbers; a missing one is NaN.
  void numbers(std::size_t first, std::size_t count, double* out, std::size_t stride = 1) const;

  ArrowKind kind() const { return type_.kind; }
  const ArrowSchema& schema() const { return *schema_; }
  /// Rows of child(0) that a list or map holds in `row`. Offsets that leave the child are an Error
  /// that begins with the name of the column.
  struct Range {
    std::size_t first = 0, count = 0;
  };
  Range items(std::size_t row) const;
  /// The items of a list, the pairs of a map, a field of a structure.
  ArrowColumn child(std::size_t index) const;
  std::size_t children() const { return static_cast<std::size_t>(schema_->n_children); }
  /// Where numbers stand side by side without a gap, in which type; null otherwise.
  const std::byte* plain_numbers(std::size_t first, std::size_t count, NumberType& type) const;

 private:
  std::string_view plain_text(std::size_t at, std::string& buffer) const;
  std::optional<std::size_t> dictionary_row(std::size_t row) const;
  const std::byte* bytes(int buffer) const {
    return static_cast<const std::byte*>(array_->buffers[buffer]);
  }
  const std::byte* validity() const { return array_->null_count == 0 ? nullptr : bytes(0); }

  ArrowType type_;
  const ArrowSchema* schema_;
  const ArrowArray* array_;
  std::size_t offset_ = 0;
};

}  // namespace credence::io
