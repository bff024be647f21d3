#include "io/npy/npy.hpp"

#include <fmt/core.h>

#include "credence/error.hpp"
#include "io/npy/npz.hpp"
#include "io/text/delimited.hpp"

namespace credence::io {

NpyArray::NpyArray(const std::string& path) : path_(display_name(path)) {
  const NpzPath named = split_npz_path(path);
  // Standard input may be a file too, but can be read only once.
  if (path != "-") {
    if (const auto archive = open_archive(named.file)) {
      open(*archive, named.member);
      return;
    }
  }
  open(map_bytes(named.file), named);
}

NpyArray::NpyArray(Bytes bytes, std::string path) : path_(std::move(path)) {
  open(std::move(bytes), {path_, {}});
}

void NpyArray::open(const ByteStore& archive, const std::string& name) {
  const ZipMember member = find_member(archive, name, path_);
  take(read_all(*open_member(archive, member, path_)));
}

void NpyArray::open(Bytes bytes, const NpzPath& named) {
  if (is_archive(bytes.text())) return open(ByteStore(std::move(bytes)), named.member);
  if (!named.member.empty()) {
    throw Error(ErrorCode::format, fmt::format("{}: not an .npz archive", named.file),
                "only .npz archives have named arrays");
  }
  take(bytes);
}

void NpyArray::take(const Bytes& bytes) {
  header_ = parse_npy_header(bytes.text(), path_);
  check_npy_size(header_, bytes.size - header_.data_offset, path_);
  data_ = bytes.data + header_.data_offset;
  owner_ = bytes.owner;
}

NumberArray NpyArray::numbers() const {
  NumberArray view{.type = header_.type, .swapped = header_.swapped, .data = data_};
  view.rows = rows();
  view.cols = cols();
  const auto size = static_cast<std::ptrdiff_t>(header_.element_size);
  const auto long_step = [size](std::size_t count) {
    return size * static_cast<std::ptrdiff_t>(count);
  };
  view.row_stride = header_.fortran_order ? size : long_step(cols());
  view.column_stride = header_.fortran_order ? long_step(rows()) : size;
  view.is_vector = header_.shape.size() == 1;
  return view;
}

bool is_npy_path(const std::string& path) {
  const std::string file = split_npz_path(path).file;
  if (file.size() < 4) return false;
  const std::string_view extension = std::string_view(file).substr(file.size() - 4);
  return equal_ignoring_case(extension, ".npy") || equal_ignoring_case(extension, ".npz");
}

}  // namespace credence::io
