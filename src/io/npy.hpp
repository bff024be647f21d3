// NumPy .npy arrays and members of .npz archives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "credence/matrix.hpp"

namespace credence::io {

/// Element types we read. Object, string, structured and complex arrays are refused by name.
enum class NpyType { f16, f32, f64, i8, i16, i32, i64, u8, u16, u32, u64, boolean };

struct NpyHeader {
  NpyType type{};
  bool swapped = false;        ///< other byte order than this machine
  bool fortran_order = false;
  std::vector<std::size_t> shape;
  std::size_t data_offset = 0;
  std::size_t element_size = 0;
  std::size_t count() const;   ///< product of shape, already bounded by the bytes present
};

/// An opened array: a file is mapped; a deflated .npz member, or standard input, is held in memory.
/// `path` may be `file.npz:name` (or `file.npz` with exactly one member). Every count claimed by a
/// header is checked against the bytes present before anything is allocated.
class NpyArray {
 public:
  explicit NpyArray(const std::string& path);
  const NpyHeader& header() const { return header_; }
  const std::string& path() const { return path_; }
  const std::byte* data() const { return data_; }
  /// Keeps the bytes alive after this object is gone.
  std::shared_ptr<const void> owner() const { return owner_; }
  /// rows x cols of a 1-D (cols = 1) or 2-D array; other ranks are an Error.
  std::size_t rows() const, cols() const;
  /// True when elements are native float32 in C order and can be used in place.
  bool is_plain_f32() const;
  /// Converts rows [first, first + out.rows()) to double.
  void read_rows(std::size_t first, MatrixView<double> out) const;
  /// The whole 1-D array as integers; a value that is not a whole number is an Error.
  std::vector<std::int64_t> integers() const;

 private:
  std::string path_;
  NpyHeader header_;
  const std::byte* data_ = nullptr;
  std::shared_ptr<const void> owner_;
};

/// True when `path` (or the part before ':') names a .npy or .npz file.
bool is_npy_path(const std::string& path);

}  // namespace credence::io
