// Members of zip archives as numpy.savez writes them: stored or deflated, zip64 or not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/bytes/byte_source.hpp"
#include "io/npy/npy_bytes.hpp"

namespace credence::io {

struct ZipMember {
  std::string name;
  std::uint16_t version = 0;
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

/// How an archive starts, also an empty one.
bool is_archive(std::string_view first);
/// Nothing when the file is no archive, or no regular file (an .npz archive cannot be piped).
std::optional<ByteStore> open_archive(const std::string& file);

/// Finds `member` ("name" or "name.npy"; empty: the only one) in the archive. Every offset and
/// length lies within the archive; a compression that we cannot undo, a name given twice, and
/// damage of any other member are refused.
ZipMember find_member(const ByteStore& archive, const std::string& member, const std::string& path);

/// The member's bytes in order; size and checksum are verified at the end.
std::unique_ptr<ByteSource> open_member(const ByteStore& archive, const ZipMember& member,
                                        const std::string& path);

}  // namespace credence::io
