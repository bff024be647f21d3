// Layout after PKWARE's APPNOTE: the end record points at the central directory, whose entries
// point at the members. What is said twice (in the directory and in front of a member) must agree,
// nothing may stand between directory and end, and nothing is trusted to lie inside the file: an
// archive that 'unzip -t' refuses is refused here.
#include "io/npy/npz.hpp"

#include <fmt/core.h>
#include <sys/stat.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <set>

#include "credence/error.hpp"
#include "io/bytes/text_lines.hpp"
#include "io/npy/npy.hpp"

namespace credence::io {
namespace {

[[noreturn]] void refuse(const std::string& path, std::string_view what, std::string hint = {}) {
  throw Error(ErrorCode::format, fmt::format("{}: {}", path, what), std::move(hint));
}
[[noreturn]] void damaged(const std::string& path, std::string_view what) {
  refuse(path, fmt::format("damaged .npz archive: {}", what),
         "copy the file again, or save it again with np.savez");
}

// Little-endian numbers at checked offsets of a part of the archive.
class Fields {
 public:
  Fields(std::string bytes, const std::string& path) : bytes_(std::move(bytes)), path_(path) {}
  std::size_t size() const { return bytes_.size(); }
  std::uint64_t number(std::size_t at, std::size_t width) const {
    const std::string_view field = slice(at, width);
    std::uint64_t value = 0;
    for (std::size_t i = width; i-- > 0;) {
      value = value << 8 | static_cast<unsigned char>(field[i]);
    }
    return value;
  }
  std::uint16_t u16(std::size_t at) const { return static_cast<std::uint16_t>(number(at, 2)); }
  std::uint32_t u32(std::size_t at) const { return static_cast<std::uint32_t>(number(at, 4)); }
  std::uint64_t u64(std::size_t at) const { return number(at, 8); }
  std::string_view slice(std::size_t at, std::size_t length) const {
    if (at > bytes_.size() || bytes_.size() - at < length) damaged(path_, "it ends early");
    return std::string_view(bytes_).substr(at, length);
  }

 private:
  std::string bytes_;
  const std::string& path_;
};

constexpr std::uint32_t kLocal = 0x04034b50, kCentral = 0x02014b50, kEnd = 0x06054b50,
                        kEnd64 = 0x06064b50, kLocator64 = 0x07064b50;
constexpr std::uint64_t kInZip64 = 0xffffffff;
constexpr std::size_t kLocalSize = 30, kCentralSize = 46, kEndSize = 22, kEnd64Size = 56,
                      kLocatorSize = 20, kLongestComment = 65535;
/// Of the format: the newest that stored and deflated members, with long sizes, need.
constexpr std::uint16_t kNewestVersion = 45;
enum Flag : std::uint16_t { kEncrypted = 0x2041, kSizesFollow = 0x0008, kPatched = 0x0020 };

Fields part(const ByteStore& archive, std::uint64_t offset, std::uint64_t length,
            const std::string& path) {
  if (offset > archive.size() || archive.size() - offset < length) damaged(path, "it ends early");
  return {archive.at(offset, length), path};
}

struct Directory {
  std::size_t offset = 0, size = 0;
  std::uint64_t entries = 0;
};

Directory find_directory(const ByteStore& archive, const std::string& path) {
  if (archive.size() < kEndSize) damaged(path, "it ends early");
  const std::size_t length = std::min(archive.size(), kLocatorSize + kEndSize + kLongestComment);
  const std::size_t start = archive.size() - length;
  const Fields tail = part(archive, start, length, path);
  std::size_t end = length - kEndSize;
  while (tail.u32(end) != kEnd || end + kEndSize + tail.u16(end + 20) != length) {
    if (end-- == 0) damaged(path, "no end record; it was cut off while being written or copied");
  }
  Directory directory{tail.u32(end + 16), tail.u32(end + 12), tail.u16(end + 10)};
  bool one_part = tail.u16(end + 8) == tail.u16(end + 10) && tail.u32(end + 4) == 0;
  std::uint64_t directory_end = start + end;
  if (end >= kLocatorSize && tail.u32(end - kLocatorSize) == kLocator64) {
    const std::uint64_t record = tail.u64(end - kLocatorSize + 8);
    const Fields long_end = part(archive, record, kEnd64Size, path);
    if (long_end.u32(0) != kEnd64 ||
        record + 12 + long_end.u64(4) != directory_end - kLocatorSize) {
      damaged(path, "no zip64 end record");
    }
    directory = {long_end.u64(48), long_end.u64(40), long_end.u64(32)};
    one_part = long_end.u64(24) == long_end.u64(32) && long_end.u64(16) == 0;
    directory_end = record;
  }
  if (!one_part) damaged(path, "it is one part of several");
  if (directory.offset > directory_end || directory_end - directory.offset != directory.size) {
    damaged(path, "its directory is not where the end record says");
  }
  return directory;
}

// Sizes and offset that did not fit in 32 bits stand in an extra field, only those, in this order.
void read_zip64_extra(const Fields& at, std::size_t extra, std::size_t length, std::uint64_t& size,
                      std::uint64_t& packed, std::uint64_t& offset, const std::string& path) {
  const std::size_t end = extra + length;
  while (end - extra >= 4) {
    const std::uint16_t id = at.u16(extra);
    const std::size_t field_size = at.u16(extra + 2);
    extra += 4;
    if (end - extra < field_size) damaged(path, "an extra field is too long");
    if (id == 1) {
      std::size_t field = extra;
      for (std::uint64_t* value : {&size, &packed, &offset}) {
        if (*value != kInZip64) continue;
        if (extra + field_size - field < 8) damaged(path, "a zip64 field is too short");
        *value = at.u64(field);
        field += 8;
      }
      return;
    }
    extra += field_size;
  }
}

/// "x.npy" and "x" are the same array to whoever names it.
std::string_view array_name(std::string_view name) {
  if (name.ends_with(".npy")) name.remove_suffix(4);
  return name;
}

std::vector<ZipMember> read_directory(const ByteStore& archive, const std::string& path) {
  const Directory directory = find_directory(archive, path);
  const Fields at = part(archive, directory.offset, directory.size, path);
  std::vector<ZipMember> members;
  std::set<std::string, std::less<>> names;
  for (std::size_t entry = 0; entry < at.size();) {
    if (at.u32(entry) != kCentral) damaged(path, "its directory is broken");
    std::uint64_t packed = at.u32(entry + 20), size = at.u32(entry + 24),
                  offset = at.u32(entry + 42);
    const std::size_t name_size = at.u16(entry + 28), extra_size = at.u16(entry + 30),
                      comment_size = at.u16(entry + 32), name = entry + kCentralSize;
    ZipMember member;
    member.name = std::string(at.slice(name, name_size));
    at.slice(name + name_size, extra_size + comment_size);
    read_zip64_extra(at, name + name_size, extra_size, size, packed, offset, path);
    member.version = at.u16(entry + 6);
    member.flags = at.u16(entry + 8);
    member.method = at.u16(entry + 10);
    member.crc = at.u32(entry + 16);
    member.packed_size = packed;
    member.size = size;
    member.offset = offset;  // of the local header, until `locate`
    if (!names.insert(std::string(array_name(member.name))).second) {
      refuse(path, fmt::format("two arrays named {} in the archive", excerpt(member.name)),
             "save it again with each name once; readers do not agree which of two they take");
    }
    members.push_back(std::move(member));
    entry = name + name_size + extra_size + comment_size;
  }
  if (members.size() != directory.entries) damaged(path, "its directory has lost members");
  for (const ZipMember& member : members) {
    if (member.offset >= directory.offset) damaged(path, "a member has no header");
  }
  return members;
}

/// From the member's header to its data. What the header says must be what the directory says;
/// members written by streaming have zeros there instead of checksum and sizes.
void locate(const ByteStore& archive, ZipMember& member, const std::string& path) {
  if ((member.flags & kEncrypted) != 0) refuse(path, "the archive is encrypted");
  if (member.method != 0 && member.method != 8) {
    refuse(path,
           fmt::format("compressed by method {}; stored and deflated are known", member.method),
           "save it again with np.savez or np.savez_compressed");
  }
  const Fields at = part(archive, member.offset, kLocalSize, path);
  if (at.u32(0) != kLocal) damaged(path, "a member has no header");
  const std::size_t name_size = at.u16(26), extra_size = at.u16(28);
  const Fields more = part(archive, member.offset + kLocalSize, name_size + extra_size, path);
  std::uint64_t packed = at.u32(18), size = at.u32(22), offset = 0;
  read_zip64_extra(more, name_size, extra_size, size, packed, offset, path);
  const bool blank =
      (member.flags & kSizesFollow) != 0 && at.u32(14) == 0 && packed == 0 && size == 0;
  const bool same_sizes =
      blank || (at.u32(14) == member.crc && packed == member.packed_size && size == member.size);
  if (more.slice(0, name_size) != member.name || at.u16(6) != member.flags ||
      at.u16(8) != member.method || !same_sizes) {
    damaged(path, fmt::format("its directory and the header of {} disagree", excerpt(member.name)));
  }
  // The low byte is the version, the high one the system.
  if ((member.flags & kPatched) != 0 || (member.version & 255) > kNewestVersion ||
      (at.u16(4) & 255) > kNewestVersion) {
    refuse(path, "made for a newer unzip", "save it again with np.savez or np.savez_compressed");
  }
  member.offset += kLocalSize + name_size + extra_size;
  if (member.offset > archive.size() || archive.size() - member.offset < member.packed_size) {
    damaged(path, "it ends early");
  }
  if (member.is_stored() && member.size != member.packed_size) {
    damaged(path, "a stored member has two sizes");
  }
}

std::string list_members(const std::vector<ZipMember>& members) {
  std::string text;
  constexpr std::size_t kShown = 20;
  for (std::size_t i = 0; i < members.size() && i < kShown; ++i) {
    text += fmt::format("{}{}", i == 0 ? "" : ", ", array_name(members[i].name));
  }
  return members.size() > kShown ? text + ", ..." : text;
}

std::size_t choose(const std::vector<ZipMember>& members, const std::string& name,
                   const std::string& path) {
  if (members.empty()) refuse(path, "the archive holds no arrays");
  const std::string file = split_npz_path(path).file;
  if (name.empty()) {
    if (members.size() == 1) return 0;
    refuse(path, fmt::format("holds {} arrays: {}", members.size(), list_members(members)),
           fmt::format("name one of them, for example {}:{}", file,
                       list_members({members.begin(), members.begin() + 1})));
  }
  for (const std::string& candidate : {name, name + ".npy"}) {
    const auto found = std::ranges::find(members, candidate, &ZipMember::name);
    if (found != members.end()) return static_cast<std::size_t>(found - members.begin());
  }
  refuse(path, fmt::format("no array named {} in the archive", excerpt(name)),
         fmt::format("it holds: {}", list_members(members)));
}

// A member as it was before it was packed.
class MemberSource : public ByteSource {
 public:
  MemberSource(std::unique_ptr<ByteSource> packed, const ZipMember& member, std::string path)
      : packed_(std::move(packed)), member_(member), path_(std::move(path)) {
    // Negative: raw deflate data without a header of their own.
    if (inflateInit2(&stream_, -15) != Z_OK) throw std::bad_alloc();
    if (!member_.is_stored()) input_ = std::make_unique_for_overwrite<char[]>(kChunk);
  }
  ~MemberSource() override { inflateEnd(&stream_); }
  MemberSource(const MemberSource&) = delete;
  MemberSource& operator=(const MemberSource&) = delete;

  std::size_t read(char* out, std::size_t size) override {
    const auto wanted = static_cast<uInt>(std::min(size, kChunk));
    std::size_t got = 0;
    while (got == 0 && !finished_) {
      got = member_.is_stored() ? packed_->read(out, wanted) : unpack(out, wanted);
      finished_ = finished_ || (member_.is_stored() && got == 0);
    }
    crc_ = crc32_z(crc_, reinterpret_cast<const Bytef*>(out), got);
    produced_ += got;
    if (produced_ > member_.size || (finished_ && produced_ != member_.size)) {
      damaged(path_, "the array has another size than the directory says");
    }
    if (finished_ && crc_ != member_.crc) damaged(path_, "the checksum of the array is wrong");
    return got;
  }

 private:
  std::size_t unpack(char* out, uInt wanted) {
    if (stream_.avail_in == 0) {
      stream_.next_in = reinterpret_cast<Bytef*>(input_.get());
      stream_.avail_in = static_cast<uInt>(packed_->read(input_.get(), kChunk));
    }
    stream_.next_out = reinterpret_cast<Bytef*>(out);
    stream_.avail_out = wanted;
    const int status = inflate(&stream_, Z_NO_FLUSH);
    finished_ = status == Z_STREAM_END;
    char more = 0;
    if (finished_ && (stream_.avail_in != 0 || packed_->read(&more, 1) != 0)) {
      damaged(path_, "bytes after the compressed data");
    }
    // With room for output, Z_BUF_ERROR means that the packed data ended early.
    if (!finished_ && status != Z_OK) damaged(path_, "compressed data are corrupt");
    return wanted - stream_.avail_out;
  }

  std::unique_ptr<ByteSource> packed_;
  ZipMember member_;
  std::string path_;
  std::unique_ptr<char[]> input_;
  std::size_t produced_ = 0;
  uLong crc_ = 0;
  bool finished_ = false;
  z_stream stream_{};
};

}  // namespace

NpzPath split_npz_path(const std::string& path) {
  const auto is_npz = [](char a, char b, char c) {
    return (a | 32) == 'n' && (b | 32) == 'p' && (c | 32) == 'z';
  };
  for (std::size_t colon = path.size(); colon-- > 4;) {
    if (path[colon] == ':' && path[colon - 4] == '.' &&
        is_npz(path[colon - 3], path[colon - 2], path[colon - 1])) {
      return {path.substr(0, colon), path.substr(colon + 1)};
    }
  }
  return {path, {}};
}

ZipMember find_member(const ByteStore& archive, const std::string& name, const std::string& path) {
  std::vector<ZipMember> members = read_directory(archive, path);
  const std::size_t chosen = choose(members, name, path);
  locate(archive, members[chosen], path);
  // Damage elsewhere is a sign that the whole file is not what was written.
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (i == chosen) continue;
    locate(archive, members[i], path);
    read_to_end(*open_member(archive, members[i], path));
  }
  return members[chosen];
}

std::unique_ptr<ByteSource> open_member(const ByteStore& archive, const ZipMember& member,
                                        const std::string& path) {
  return std::make_unique<MemberSource>(archive.range(member.offset, member.packed_size), member,
                                        path);
}

bool is_archive(std::string_view first) {
  return first.starts_with(kZipMagic) || first.starts_with("PK\x05\x06");
}

std::optional<ByteStore> open_archive(const std::string& file) {
  struct stat info {};
  // Before it is opened: a pipe can be opened only once.
  if (::stat(file.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return std::nullopt;
  FileHandle handle = open_for_reading(file);
  if (::fstat(handle.get(), &info) != 0) throw_system_error(file, "cannot read", errno);
  const auto size = static_cast<std::size_t>(info.st_size);
  ByteStore store(std::move(handle), size, file);
  if (!is_archive(store.at(0, std::min(size, kZipMagic.size())))) return std::nullopt;
  return store;
}

}  // namespace credence::io
