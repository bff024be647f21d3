#include "io/npy/npy_bytes.hpp"

#include <fmt/core.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

#include "credence/error.hpp"
#include "io/bytes/input_guard.hpp"

namespace credence::io {
namespace {

class FileRange : public ByteSource {
 public:
  FileRange(std::shared_ptr<const FileHandle> file, std::size_t offset, std::size_t size,
            std::string path)
      : file_(std::move(file)),
        state_(state_of(*file_)),
        offset_(offset),
        left_(size),
        path_(std::move(path)) {}

  std::size_t read(char* out, std::size_t size) override {
    const std::size_t count = std::min(size, left_);
    if (count == 0) check_unchanged(*file_, state_, path_);
    read_at(*file_, offset_, reinterpret_cast<std::byte*>(out), count, path_);
    offset_ += count;
    left_ -= count;
    return count;
  }

 private:
  std::shared_ptr<const FileHandle> file_;
  FileState state_;
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

std::unique_ptr<ByteSource> memory_range(const Bytes& bytes, std::size_t offset, std::size_t size) {
  return std::make_unique<MemoryRange>(bytes, offset, size);
}

std::string ByteStore::at(std::size_t offset, std::size_t length) const {
  if (file_ == nullptr) return std::string(bytes_.text().substr(offset, length));
  std::string part(length, '\0');
  read_at(*file_, offset, reinterpret_cast<std::byte*>(part.data()), length, path_);
  return part;
}

std::unique_ptr<ByteSource> ByteStore::range(std::size_t offset, std::size_t length) const {
  if (file_ == nullptr) return memory_range(bytes_, offset, length);
  return std::make_unique<FileRange>(file_, offset, length, path_);
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
    if (auto owner = map_input(file, size, path)) {
      const auto* start = static_cast<const std::byte*>(owner.get());
      return {std::move(owner), start, size};
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
    if (got == 0) throw_changed(path);
    offset += static_cast<std::size_t>(got);
    out += got;
    size -= static_cast<std::size_t>(got);
  }
}

}  // namespace credence::io
