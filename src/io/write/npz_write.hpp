// NumPy archives out: arrays stored one after another, as numpy.savez does.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace credence::io {

/// A .npy file (version 1.0) around the bytes of an array in C order; `descr` such as "<f4".
std::string npy_file(std::string_view descr, const std::vector<std::size_t>& shape,
                     std::string_view bytes);

struct NpzEntry {
  std::string name;  ///< without .npy
  std::string file;  ///< bytes of the .npy file
};
/// A zip archive of stored members, without times: the same arrays give the same bytes.
std::string npz_file(const std::vector<NpzEntry>& entries);

}  // namespace credence::io
