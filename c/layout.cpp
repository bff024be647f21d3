#include "layout.hpp"

#include <cstdint>
#include <limits>

namespace credence::c {
namespace {

bool multiply(std::size_t a, std::size_t b, std::size_t& out) {
  return !__builtin_mul_overflow(a, b, &out);
}

}  // namespace

Layout make_layout(std::size_t rows, std::size_t classes, const credence_strides* strides) {
  if (strides == nullptr) return {rows, classes, classes, 1};
  return {rows, classes, strides->row, strides->column};
}

std::size_t extent(const Layout& layout, std::size_t element_size) {
  std::size_t down = 0, across = 0, last = 0, bytes = 0;
  if (!multiply(layout.rows - 1, layout.row, down) ||
      !multiply(layout.classes - 1, layout.column, across) ||
      __builtin_add_overflow(down, across, &last) || __builtin_add_overflow(last, 1, &last) ||
      !multiply(last, element_size, bytes) ||
      bytes > static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max())) {
    return 0;
  }
  return last;
}

bool is_free_of_overlap(const Layout& layout) {
  if (layout.rows <= 1) return layout.classes <= 1 || layout.column > 0;
  if (layout.classes <= 1) return layout.row > 0;
  if (layout.row == 0 || layout.column == 0) return false;
  // One of the two axes steps over everything along the other.
  return layout.row > (layout.classes - 1) * layout.column ||
         layout.column > (layout.rows - 1) * layout.row;
}

Sharing sharing(const Layout& in, std::size_t in_address, const Layout& out,
                std::size_t out_address, std::size_t element_size) {
  const std::size_t in_end = in_address + extent(in, element_size) * element_size;
  const std::size_t out_end = out_address + extent(out, element_size) * element_size;
  if (in_end <= out_address || out_end <= in_address) return Sharing::none;
  const bool same_rows = in.rows <= 1 || in.row == out.row;
  const bool same_columns = in.classes <= 1 || in.column == out.column;
  if (!same_rows || !same_columns) return Sharing::mixed;
  if (in_address == out_address) return Sharing::in_place;
  // Columns side by side in the rows of one table: {0 .. K-1} and {d .. d+K-1} modulo its width.
  const std::size_t apart =
      in_address < out_address ? out_address - in_address : in_address - out_address;
  if (in.rows > 1 && apart % element_size == 0 && in.row > (in.classes - 1) * in.column) {
    const std::size_t width = (in.classes - 1) * in.column + 1;
    const std::size_t shift = apart / element_size % in.row;
    if (shift >= width && in.row - shift >= width) return Sharing::none;
  }
  return Sharing::mixed;
}

}  // namespace credence::c
