#include "io/npy.hpp"

#include <fmt/core.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "credence/error.hpp"
#include "io/delimited.hpp"
#include "io/npz.hpp"

namespace credence::io {

NpyArray::NpyArray(const std::string& path) : path_(display_name(path)) {
  const NpzPath named = split_npz_path(path);
  open(map_bytes(named.file), named.file, named.member);
}

NpyArray::NpyArray(Bytes bytes, std::string path) : path_(std::move(path)) {
  open(std::move(bytes), path_, {});
}

void NpyArray::open(Bytes bytes, const std::string& file, const std::string& wanted) {
  if (bytes.text().starts_with(kZipMagic) || bytes.text().starts_with("PK\x05\x06")) {
    const ZipMember member = find_member(bytes, wanted, path_);
    if (member.is_stored()) {
      check_stored_member(bytes, member, path_);
      bytes = {bytes.owner, bytes.data + member.offset, member.size};
    } else {
      const auto source =
          open_member(memory_range(bytes, member.offset, member.packed_size), member, path_);
      bytes = read_all(*source);
    }
  } else if (!wanted.empty()) {
    throw Error(ErrorCode::format, fmt::format("{}: not an .npz archive", file),
                "only .npz archives have named arrays");
  }
  header_ = parse_npy_header(bytes.text(), path_);
  check_npy_size(header_, bytes.size - header_.data_offset, path_);
  data_ = bytes.data + header_.data_offset;
  owner_ = bytes.owner;
}

bool NpyArray::is_plain(NpyType type, std::size_t alignment) const {
  // One row or one column is the same in both orders.
  const bool c_order = !header_.fortran_order || rows() == 1 || cols() == 1;
  return header_.type == type && !header_.swapped && c_order &&
         reinterpret_cast<std::uintptr_t>(data_) % alignment == 0;
}

void NpyArray::read_rows(std::size_t first, MatrixView<double> out) const {
  assert(first + out.rows() <= rows() && out.cols() == cols());
  const std::size_t size = header_.element_size;
  if (!header_.fortran_order) {
    convert_npy(header_.type, header_.swapped, data_ + first * cols() * size, out.size(),
                out.data());
    return;
  }
  for (std::size_t k = 0; k < cols(); ++k) {
    convert_npy(header_.type, header_.swapped, data_ + (k * rows() + first) * size, out.rows(),
                out.data() + k, cols());
  }
}

std::vector<std::int64_t> NpyArray::integers() const {
  if (cols() != 1) {
    throw Error(
        ErrorCode::format,
        fmt::format("{}: {} columns; expected a single column of whole numbers", path_, cols()));
  }
  std::vector<std::int64_t> values(rows());
  // 64-bit integers do not survive a trip through double; everything else does.
  if (header_.type == NpyType::i64 || header_.type == NpyType::u64) {
    for (std::size_t i = 0; i < rows(); ++i) {
      std::uint64_t bits;
      std::memcpy(&bits, data_ + i * 8, 8);
      if (header_.swapped) bits = __builtin_bswap64(bits);
      if (header_.type == NpyType::u64 && bits >> 63 != 0) {
        throw Error(ErrorCode::data, fmt::format("{}: row {}: {} is too large", path_, i, bits));
      }
      values[i] = static_cast<std::int64_t>(bits);
    }
    return values;
  }
  for (std::size_t i = 0; i < rows(); ++i) {
    double value = 0.0;
    read_rows(i, {&value, 1, 1});
    if (!(std::abs(value) < 0x1p53) || value != std::floor(value)) {
      throw Error(ErrorCode::data,
                  fmt::format("{}: row {}: {} is not a whole number", path_, i, value));
    }
    values[i] = static_cast<std::int64_t>(value);
  }
  return values;
}

bool is_npy_path(const std::string& path) {
  const std::string file = split_npz_path(path).file;
  if (file.size() < 4) return false;
  const std::string_view extension = std::string_view(file).substr(file.size() - 4);
  return equal_ignoring_case(extension, ".npy") || equal_ignoring_case(extension, ".npz");
}

}  // namespace credence::io
