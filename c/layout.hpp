// Where the elements of a caller's array lie, and whether two arrays get in each other's way.
#pragma once

#include <cstddef>

#include "credence/credence.h"

namespace credence::c {

struct Layout {
  std::size_t rows, classes;
  std::size_t row, column;  ///< strides in elements

  bool is_packed() const { return column == 1 && (row == classes || rows <= 1); }
  std::size_t offset(std::size_t i, std::size_t k) const { return i * row + k * column; }
};

/// NULL strides are those of a packed array.
Layout make_layout(std::size_t rows, std::size_t classes, const credence_strides* strides);

/// Elements from the first to the last, or 0 when the bytes in between cannot be addressed.
std::size_t extent(const Layout& layout, std::size_t element_size);

/// Whether no two elements (i, k) of the array share a place.
bool is_free_of_overlap(const Layout& layout);

enum class Sharing {
  none,      ///< no element of one is an element of the other
  in_place,  ///< the same elements
  mixed,     ///< anything else
};
/// Addresses are those of the first elements, in bytes.
Sharing sharing(const Layout& in, std::size_t in_address, const Layout& out,
                std::size_t out_address, std::size_t element_size);

}  // namespace credence::c
