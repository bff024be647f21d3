// One column of one batch of an Arrow stream, read in place.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "credence/memory.hpp"
#include "io/arrow/arrow_abi.hpp"

namespace credence::io {

/// What the columns of a stream hold, by the letters of the Arrow format string.
enum class ArrowKind { number, bits, text, large_text, text_view, nothing };

struct ArrowType {
  ArrowKind kind = ArrowKind::nothing;
  NumberType number = NumberType::f64;
};

/// Empty for types that are neither numbers nor text (dates, lists, ...).
std::optional<ArrowType> read_arrow_type(std::string_view format);

class ArrowColumn {
 public:
  /// `schema` describes `array`; both outlive this.
  ArrowColumn(const ArrowSchema& schema, const ArrowArray& array, std::size_t batch_offset);
  bool is_null(std::size_t row) const;
  std::string_view text(std::size_t row, std::string& buffer) const;
  double number(std::size_t row) const;

 private:
  std::string_view plain_text(std::size_t at, std::string& buffer) const;
  const std::byte* bytes(int buffer) const {
    return static_cast<const std::byte*>(array_->buffers[buffer]);
  }

  ArrowType type_;
  const ArrowSchema* schema_;
  const ArrowArray* array_;
  std::size_t offset_ = 0;
};

}  // namespace credence::io
