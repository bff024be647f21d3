// Values that travel as bytes objects: a driver in Python holds no pointer into the engine.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <span>
#include <vector>

namespace credence::python {

inline nanobind::bytes to_python(const std::vector<std::byte>& bytes) {
  return nanobind::bytes(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

inline std::span<const std::byte> from_python(const nanobind::bytes& bytes) {
  return {reinterpret_cast<const std::byte*>(bytes.c_str()), bytes.size()};
}

}  // namespace credence::python
