#include <fmt/core.h>

#include <cmath>
#include <cstring>

#include "credence/error.hpp"
#include "io/npy/npy.hpp"

namespace credence::io {

std::size_t size_of(NumberType type) {
  switch (type) {
    case NumberType::i8:
    case NumberType::u8:
    case NumberType::boolean:
      return 1;
    case NumberType::f16:
    case NumberType::bf16:
    case NumberType::i16:
    case NumberType::u16:
      return 2;
    case NumberType::f32:
    case NumberType::i32:
    case NumberType::u32:
      return 4;
    case NumberType::f64:
    case NumberType::i64:
    case NumberType::u64:
      return 8;
  }
  return 8;
}

bool NumberArray::is_plain(NumberType wanted) const {
  const auto size = static_cast<std::ptrdiff_t>(size_of(type));
  // One row or one column is the same in both orders.
  const bool side_by_side = cols == 1 || column_stride == size;
  const bool row_by_row = rows == 1 || row_stride == size * static_cast<std::ptrdiff_t>(cols);
  return type == wanted && !swapped && side_by_side && row_by_row &&
         reinterpret_cast<std::uintptr_t>(data) % size_of(type) == 0;
}

void NumberArray::read_rows(std::size_t first, MatrixView<double> out) const {
  assert(first + out.rows() <= rows && out.cols() == cols);
  const auto size = static_cast<std::ptrdiff_t>(size_of(type));
  const std::byte* const start = data + static_cast<std::ptrdiff_t>(first) * row_stride;
  const bool side_by_side = cols == 1 || column_stride == size;
  if (side_by_side && row_stride == size * static_cast<std::ptrdiff_t>(cols)) {
    convert_npy(type, swapped, start, out.size(), out.data());
    return;
  }
  if (side_by_side && cols > 1) {
    for (std::size_t i = 0; i < out.rows(); ++i) {
      convert_npy(type, swapped, start + static_cast<std::ptrdiff_t>(i) * row_stride, cols,
                  out.row(i).data());
    }
    return;
  }
  for (std::size_t k = 0; k < cols; ++k) {
    // A stride of 0 (one value seen many times) must not be taken for "side by side".
    const std::byte* const column = start + static_cast<std::ptrdiff_t>(k) * column_stride;
    if (row_stride != 0) {
      convert_npy(type, swapped, column, out.rows(), out.data() + k, cols, row_stride);
      continue;
    }
    for (std::size_t i = 0; i < out.rows(); ++i) {
      convert_npy(type, swapped, column, 1, out.data() + i * cols + k);
    }
  }
}

std::vector<std::int64_t> NumberArray::integers(const std::string& path,
                                                std::size_t first_row) const {
  if (cols != 1) {
    throw Error(
        ErrorCode::format,
        fmt::format("{}: {} columns; expected a single column of whole numbers", path, cols));
  }
  std::vector<std::int64_t> values(rows);
  // 64-bit integers do not survive a trip through double; everything else does.
  if (type == NumberType::i64 || type == NumberType::u64) {
    for (std::size_t i = 0; i < rows; ++i) {
      std::uint64_t bits;
      std::memcpy(&bits, data + static_cast<std::ptrdiff_t>(i) * row_stride, 8);
      if (swapped) bits = __builtin_bswap64(bits);
      if (type == NumberType::u64 && bits >> 63 != 0) {
        throw Error(ErrorCode::data,
                    fmt::format("{}: row {}: {} is too large", path, first_row + i, bits));
      }
      values[i] = static_cast<std::int64_t>(bits);
    }
    return values;
  }
  for (std::size_t i = 0; i < rows; ++i) {
    double value = 0.0;
    read_rows(i, {&value, 1, 1});
    if (!(std::abs(value) < 0x1p53) || value != std::floor(value)) {
      throw Error(ErrorCode::data,
                  fmt::format("{}: row {}: {} is not a whole number", path, first_row + i, value));
    }
    values[i] = static_cast<std::int64_t>(value);
  }
  return values;
}

}  // namespace credence::io
