// Members of zip archives as numpy.savez writes them: stored or deflated, zip64 or not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "io/byte_source.hpp"
#include "io/npy_bytes.hpp"

namespace credence::io {

struct ZipMember {
  std::string name;
  std::uint16_t flags = 0;
  std::uint16_t method = 0;  ///< 0 stored, 8 deflated
  std::uint32_t crc = 0;
  std::size_t packed_size = 0;
  std::size_t size = 0;    ///< as claimed; true only once the member was read
  std::size_t offset = 0;  ///< of the member's data in the archive
  bool is_stored() const { return method == 0; }
};

/// "file.npz:name" as file and member; the member is empty when none is named.
struct NpzPath {
  std::string file, member;
};
NpzPath split_npz_path(const std::string& path);

/// Finds `member` ("name" or "name.npy"; empty: the only one) in the archive. Every offset and
/// length lies within the archive; a compression that we cannot undo is refused.
ZipMember find_member(const Bytes& archive, const std::string& member, const std::string& path);

/// The member's bytes in order, from its packed bytes; the checksum is verified at the end.
std::unique_ptr<ByteSource> open_member(std::unique_ptr<ByteSource> packed, const ZipMember& member,
                                        const std::string& path);

/// Throws when the bytes of a stored member do not have its checksum.
void check_stored_member(const Bytes& archive, const ZipMember& member, const std::string& path);

}  // namespace credence::io
