#include "io/npy_bytes.hpp"

#include <fmt/core.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

#include "credence/error.hpp"

namespace credence::io {
namespace {

class FileRange : public ByteSource {
 public:
  FileRange(FileHandle file, std::size_t offset, std::size_t size, std::string path)
      : file_(std::move(file)), offset_(offset), left_(size), path_(std::move(path)) {}

  std::size_t read(char* out, std::size_t size) override {
    const std::size_t count = std::min(size, left_);
    read_at(file_, offset_, reinterpret_cast<std::byte*>(out), count, path_);
    offset_ += count;
    left_ -= count;
    return count;
  }

 private:
  FileHandle file_;
  std::size_t offset_, left_;
  std::string path_;
};

class MemoryRange : public ByteSource {
 public:
  MemoryRange(Bytes bytes, std::size_t offset, std::size_t size)
      : bytes_(std::move(bytes)), rest_(bytes_.text().substr(offset, size)) {}

  std::size_t read(char* out, std::size_t size) override {
    const std::size_t count = rest_.copy(out, size);
    rest_.remove_prefix(count);
    return count;
  }

 private:
  Bytes bytes_;
  std::string_view rest_;
};

}  // namespace

std::unique_ptr<ByteSource> file_range(FileHandle file, std::size_t offset, std::size_t size,
                                       const std::string& path) {
  return std::make_unique<FileRange>(std::move(file), offset, size, path);
}

std::unique_ptr<ByteSource> memory_range(const Bytes& bytes, std::size_t offset, std::size_t size) {
  return std::make_unique<MemoryRange>(bytes, offset, size);
}

Bytes read_all(ByteSource& source) {
  GrowingArray<std::byte> bytes;
  for (;;) {
    auto* room = reinterpret_cast<char*>(bytes.room(kChunk));
    const std::size_t got = source.read(room, kChunk);
    if (got == 0) break;
    bytes.added(got);
  }
  const std::size_t size = bytes.size();
  std::shared_ptr<const void> owner = bytes.release();
  return {owner, static_cast<const std::byte*>(owner.get()), size};
}

Bytes map_bytes(const std::string& path) {
  FileHandle file = open_for_reading(path);
  struct stat info {};
  const bool regular = ::fstat(file.get(), &info) == 0 && S_ISREG(info.st_mode);
  if (regular && info.st_size == 0) {
    throw Error(ErrorCode::format, fmt::format("{}: the file is empty", display_name(path)),
                "the program that wrote it may have failed");
  }
  char magic[2] = {};
  const bool packed =
      regular && ::pread(file.get(), magic, 2, 0) == 2 && std::string_view(magic, 2) == "\x1f\x8b";
  // Standard input that is a file may already have been read in part, so it is not mapped.
  if (regular && !packed && path != "-") {
    const auto size = static_cast<std::size_t>(info.st_size);
    void* mapped = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.get(), 0);
    if (mapped != MAP_FAILED) {
      std::shared_ptr<const void> owner(
          mapped, [size](const void* start) { ::munmap(const_cast<void*>(start), size); });
      return {owner, static_cast<const std::byte*>(mapped), size};
    }
  }
  return read_all(*open_bytes(std::move(file), path));
}

void read_at(const FileHandle& file, std::size_t offset, std::byte* out, std::size_t size,
             const std::string& path) {
  while (size > 0) {
    const ssize_t got = ::pread(file.get(), out, size, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw_system_error(path, "cannot read", errno);
    if (got == 0) {
      throw Error(ErrorCode::format, fmt::format("{}: the file became shorter while reading", path),
                  "wait until the program that writes it is done");
    }
    offset += static_cast<std::size_t>(got);
    out += got;
    size -= static_cast<std::size_t>(got);
  }
}

}  // namespace credence::io
