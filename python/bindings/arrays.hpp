// Arrays that the library has filled, given to NumPy without copying.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <memory>
#include <utility>
#include <vector>

#include "large_array.hpp"

namespace credence::python {

namespace nb = nanobind;

template <class T>
nb::object to_numpy(std::vector<T> values, std::size_t rows, std::size_t columns) {
  auto* const owned = new std::vector<T>(std::move(values));
  const nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<2>>(owned->data(), {rows, columns}, owner));
}

template <class T>
nb::object to_numpy(LargeArray<T> values, std::size_t rows, std::size_t columns) {
  T* const owned = values.release();
  const nb::capsule owner(owned, [](void* p) noexcept { FreeArray()(p); });
  return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<2>>(owned, {rows, columns}, owner));
}

template <class T>
nb::object to_numpy(std::vector<T> values) {
  auto* const owned = new std::vector<T>(std::move(values));
  const nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(owned->data(), {owned->size()}, owner));
}

}  // namespace credence::python
