// Layout after PKWARE's APPNOTE: the end record points at the central directory, whose entries
// point at the members. The directory is trusted for sizes (members written by streaming have none
// in front), and nothing is trusted to lie inside the file.
#include "io/npz.hpp"

#include <fmt/core.h>
#include <zlib.h>

#include <algorithm>
#include <limits>

#include "credence/error.hpp"
#include "io/text_lines.hpp"

namespace credence::io {
namespace {

[[noreturn]] void refuse(const std::string& path, std::string_view what, std::string hint = {}) {
  throw Error(ErrorCode::format, fmt::format("{}: {}", path, what), std::move(hint));
}
[[noreturn]] void damaged(const std::string& path, std::string_view what) {
  refuse(path, fmt::format("damaged .npz archive: {}", what),
         "copy the file again, or save it again with np.savez");
}

// Little-endian numbers at checked offsets.
class Fields {
 public:
  Fields(std::string_view bytes, const std::string& path) : bytes_(bytes), path_(path) {}
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
    return bytes_.substr(at, length);
  }

 private:
  std::string_view bytes_;
  const std::string& path_;
};

constexpr std::uint32_t kLocal = 0x04034b50, kCentral = 0x02014b50, kEnd = 0x06054b50,
                        kEnd64 = 0x06064b50, kLocator64 = 0x07064b50;
constexpr std::uint64_t kInZip64 = 0xffffffff;

struct Directory {
  std::size_t offset = 0, size = 0;
};

Directory find_directory(std::string_view archive, const std::string& path) {
  const Fields at(archive, path);
  constexpr std::size_t kEndSize = 22, kLongestComment = 65535;
  if (archive.size() < kEndSize) damaged(path, "it ends early");
  const std::size_t last = archive.size() - kEndSize;
  const std::size_t first = last - std::min(last, kLongestComment);
  std::size_t end = last + 1;
  while (end-- > first) {
    if (at.u32(end) == kEnd && end + kEndSize + at.u16(end + 20) <= archive.size()) break;
    if (end == first) damaged(path, "no end record; it was cut off while being written or copied");
  }
  std::uint64_t size = at.u32(end + 12), offset = at.u32(end + 16);
  const bool zip64 = size == kInZip64 || offset == kInZip64 || at.u16(end + 10) == 0xffff;
  if (zip64 && end >= 20 && at.u32(end - 20) == kLocator64) {
    const std::uint64_t record = at.u64(end - 20 + 8);
    if (record > archive.size() || at.u32(record) != kEnd64) damaged(path, "no zip64 end record");
    size = at.u64(record + 40);
    offset = at.u64(record + 48);
  }
  if (offset > archive.size() || archive.size() - offset < size) {
    damaged(path, "its directory lies outside the file");
  }
  return {offset, size};
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

std::vector<ZipMember> read_directory(std::string_view archive, const std::string& path) {
  const Directory directory = find_directory(archive, path);
  const std::string_view bytes = archive.substr(0, directory.offset + directory.size);
  const Fields at(bytes, path);
  std::vector<ZipMember> members;
  // The number of entries in the end record is not needed and not believed.
  for (std::size_t entry = directory.offset; entry < bytes.size();) {
    if (at.u32(entry) != kCentral) damaged(path, "its directory is broken");
    std::uint64_t packed = at.u32(entry + 20), size = at.u32(entry + 24),
                  offset = at.u32(entry + 42);
    const std::size_t name_size = at.u16(entry + 28), extra_size = at.u16(entry + 30),
                      comment_size = at.u16(entry + 32), name = entry + 46;
    ZipMember member;
    member.name = std::string(at.slice(name, name_size));
    at.slice(name + name_size, extra_size + comment_size);
    read_zip64_extra(at, name + name_size, extra_size, size, packed, offset, path);
    member.flags = at.u16(entry + 8);
    member.method = at.u16(entry + 10);
    member.crc = at.u32(entry + 16);
    member.packed_size = packed;
    member.size = size;
    member.offset = offset;  // of the local header, until the member is chosen
    members.push_back(std::move(member));
    entry = name + name_size + extra_size + comment_size;
  }
  return members;
}

std::string list_names(const std::vector<ZipMember>& members) {
  std::string text;
  constexpr std::size_t kShown = 20;
  for (std::size_t i = 0; i < members.size() && i < kShown; ++i) {
    std::string_view name = members[i].name;
    if (name.ends_with(".npy")) name.remove_suffix(4);
    text += fmt::format("{}{}", i == 0 ? "" : ", ", name);
  }
  return members.size() > kShown ? text + ", ..." : text;
}

const ZipMember& choose(const std::vector<ZipMember>& members, const std::string& name,
                        const std::string& path) {
  if (members.empty()) refuse(path, "the archive holds no arrays");
  const std::string file = split_npz_path(path).file;
  if (name.empty()) {
    if (members.size() == 1) return members[0];
    refuse(path, fmt::format("holds {} arrays: {}", members.size(), list_names(members)),
           fmt::format("name one of them, for example {}:{}", file,
                       list_names({members.begin(), members.begin() + 1})));
  }
  for (const std::string& candidate : {name, name + ".npy"}) {
    const auto found = std::ranges::find(members, candidate, &ZipMember::name);
    if (found != members.end()) return *found;
  }
  refuse(path, fmt::format("no array named {} in the archive", excerpt(name)),
         fmt::format("it holds: {}", list_names(members)));
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

ZipMember find_member(const Bytes& archive, const std::string& name, const std::string& path) {
  ZipMember member = choose(read_directory(archive.text(), path), name, path);
  if ((member.flags & 1) != 0) refuse(path, "the archive is encrypted");
  if (member.method != 0 && member.method != 8) {
    refuse(path,
           fmt::format("compressed by method {}; stored and deflated are known", member.method),
           "save it again with np.savez or np.savez_compressed");
  }
  const Fields at(archive.text(), path);
  const std::size_t local = member.offset;
  if (local > archive.size || at.u32(local) != kLocal) damaged(path, "a member has no header");
  member.offset = local + 30 + at.u16(local + 26) + at.u16(local + 28);
  at.slice(member.offset, member.packed_size);
  if (member.is_stored() && member.size != member.packed_size) {
    damaged(path, "a stored member has two sizes");
  }
  return member;
}

std::unique_ptr<ByteSource> open_member(std::unique_ptr<ByteSource> packed, const ZipMember& member,
                                        const std::string& path) {
  return std::make_unique<MemberSource>(std::move(packed), member, path);
}

void check_stored_member(const Bytes& archive, const ZipMember& member, const std::string& path) {
  const auto* start = reinterpret_cast<const Bytef*>(archive.data + member.offset);
  if (crc32_z(0, start, member.size) != member.crc) {
    damaged(path, "the checksum of the array is wrong");
  }
}

}  // namespace credence::io
