// NumPy .npy arrays and members of .npz archives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "credence/matrix.hpp"
#include "credence/memory.hpp"
#include "io/npy/npy_bytes.hpp"
#include "io/npy/npz.hpp"

namespace credence::io {

/// Element types we read. Object, string, structured and complex arrays are refused by name.
using NpyType = NumberType;

struct NpyHeader {
  NpyType type{};
  bool swapped = false;  ///< other byte order than this machine
  bool fortran_order = false;
  std::vector<std::size_t> shape;  ///< one or two numbers, none of them 0
  std::size_t data_offset = 0;
  std::size_t element_size = 0;
  std::size_t rows() const { return shape[0]; }
  std::size_t cols() const { return shape.size() > 1 ? shape[1] : 1; }
  std::size_t count() const { return rows() * cols(); }  ///< of elements; cannot overflow
  std::size_t bytes() const { return count() * element_size; }
};

/// The signature of a .npy file and of a zip (.npz) archive.
inline constexpr std::string_view kNpyMagic = "\x93NUMPY";
inline constexpr std::string_view kZipMagic = "PK\x03\x04";
/// Bytes that `npy_header_size` needs to see (a smaller file is no .npy).
inline constexpr std::size_t kNpyPreamble = 12;

/// Where the data start, from the first kNpyPreamble bytes.
std::size_t npy_header_size(std::string_view preamble, const std::string& path);
/// Reads the whole header. Refuses with advice what is not a 1-D or 2-D array of numbers, and an
/// array without rows. The shape is not yet compared with the bytes present.
NpyHeader parse_npy_header(std::string_view bytes, const std::string& path);
/// Throws Error(format): there is more in the file than its header says.
[[noreturn]] void throw_surplus(const std::string& path);
/// Throws unless header.bytes() bytes, no more and no less, are `present` after the header.
void check_npy_size(const NpyHeader& header, std::size_t present, const std::string& path);

/// Converts `count` elements to double; `out` advances by `stride`, `data` by `step` bytes (0: the
/// elements stand side by side).
void convert_npy(NpyType type, bool swapped, const std::byte* data, std::size_t count, double* out,
                 std::size_t stride = 1, std::ptrdiff_t step = 0);

/// An opened array: a file is mapped where that is allowed (map_bytes); a member of an .npz
/// archive, or standard input, is held in memory.
/// `path` may be `file.npz:name` (or `file.npz` with exactly one member). Every count claimed by a
/// header is checked against the bytes present before anything is allocated.
class NpyArray {
 public:
  explicit NpyArray(const std::string& path);
  /// An array (or an archive with just one) in memory; `path` is for messages.
  NpyArray(Bytes bytes, std::string path);
  const NpyHeader& header() const { return header_; }
  const std::string& path() const { return path_; }
  const std::byte* data() const { return data_; }
  /// Keeps the bytes alive after this object is gone.
  std::shared_ptr<const void> owner() const { return owner_; }
  /// rows x cols of a 1-D (cols = 1) or 2-D array; other ranks are refused by the constructor.
  std::size_t rows() const { return header_.rows(); }
  std::size_t cols() const { return header_.cols(); }
  /// True when elements are native float32 (float64) in C order and can be used in place.
  bool is_plain_f32() const { return numbers().is_plain(NpyType::f32); }
  bool is_plain_f64() const { return numbers().is_plain(NpyType::f64); }
  /// The elements, for as long as their owner lives.
  NumberArray numbers() const;
  /// Converts rows [first, first + out.rows()) to double.
  void read_rows(std::size_t first, MatrixView<double> out) const {
    numbers().read_rows(first, out);
  }
  /// The whole 1-D (or one-column) array as integers; a value that is not a whole number is an
  /// Error.
  std::vector<std::int64_t> integers() const { return numbers().integers(path_); }

 private:
  void open(const ByteStore& archive, const std::string& member);
  void open(Bytes bytes, const NpzPath& named);
  void take(const Bytes& bytes);

  std::string path_;
  NpyHeader header_;
  const std::byte* data_ = nullptr;
  std::shared_ptr<const void> owner_;
};

/// True when `path` (or the part before ':') names a .npy or .npz file.
bool is_npy_path(const std::string& path);

}  // namespace credence::io
