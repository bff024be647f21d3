#include "io/write/npz_write.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <cstdint>
#include <limits>

#include "credence/error.hpp"

namespace credence::io {
namespace {

void put16(std::string& out, std::size_t value) {
  out += static_cast<char>(value & 255);
  out += static_cast<char>(value >> 8 & 255);
}
void put32(std::string& out, std::size_t value) {
  put16(out, value & 0xffff);
  put16(out, value >> 16);
}

constexpr std::size_t kDate1980 = 0x21;  // 1 January 1980, the first that zip knows

/// Version, flags, method, time, date, checksum, sizes, length of the name: shared by both headers.
void put_facts(std::string& out, const NpzEntry& entry, std::size_t crc, std::size_t name_size) {
  for (const std::size_t field :
       {std::size_t{20}, std::size_t{0}, std::size_t{0}, std::size_t{0}, kDate1980}) {
    put16(out, field);
  }
  put32(out, crc);
  put32(out, entry.file.size());
  put32(out, entry.file.size());
  put16(out, name_size);
  put16(out, 0);
}

}  // namespace

std::string npy_file(std::string_view descr, const std::vector<std::size_t>& shape,
                     std::string_view bytes) {
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}",
                                   descr, fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
  constexpr std::size_t kPreamble = 10, kAlignment = 64;
  const std::size_t size = (kPreamble + header.size() + kAlignment) / kAlignment * kAlignment;
  header.resize(size - kPreamble - 1, ' ');
  header += '\n';
  std::string out("\x93NUMPY\x01\x00", 8);
  put16(out, header.size());
  return out + header + std::string(bytes);
}

std::string npz_file(const std::vector<NpzEntry>& entries) {
  std::string out, directory;
  for (const NpzEntry& entry : entries) {
    const std::string name = entry.name + ".npy";
    if (out.size() + entry.file.size() > std::numeric_limits<std::uint32_t>::max()) {
      throw Error(ErrorCode::usage, "the arrays are too large for one archive of 4 GiB");
    }
    const std::size_t crc =
        crc32_z(0, reinterpret_cast<const Bytef*>(entry.file.data()), entry.file.size());
    directory += std::string_view("PK\x01\x02");
    put16(directory, 20);
    put_facts(directory, entry, crc, name.size());
    for (int i = 0; i < 3; ++i) put16(directory, 0);
    put32(directory, 0);
    put32(directory, out.size());
    directory += name;
    out += std::string_view("PK\x03\x04");
    put_facts(out, entry, crc, name.size());
    out += name;
    out += entry.file;
  }
  const std::size_t start = out.size();
  out += directory;
  out += std::string_view("PK\x05\x06");
  put32(out, 0);
  put16(out, entries.size());
  put16(out, entries.size());
  put32(out, directory.size());
  put32(out, start);
  put16(out, 0);
  return out;
}

}  // namespace credence::io
