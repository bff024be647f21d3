// Bytes held in memory or mapped from a file, with whoever keeps them alive.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <utility>

#include "io/bytes/byte_source.hpp"
#include "io/bytes/file_handle.hpp"

namespace credence::io {

struct Bytes {
  std::shared_ptr<const void> owner;
  const std::byte* data = nullptr;
  std::size_t size = 0;
  std::string_view text() const { return {reinterpret_cast<const char*>(data), size}; }
};

/// Maps a regular file while inputs are watched (see credence/io.hpp); anything else (a pipe,
/// standard input, a gzip'd file) is read into memory.
Bytes map_bytes(const std::string& path);

/// Reads to the end; memory grows with what arrives.
Bytes read_all(ByteSource& source);

/// Fills `out` from `offset` of a file. Throws when the file ends first.
void read_at(const FileHandle& file, std::size_t offset, std::byte* out, std::size_t size,
             const std::string& path);

/// Part of bytes in memory.
std::unique_ptr<ByteSource> memory_range(const Bytes& bytes, std::size_t offset, std::size_t size);

/// Bytes that can be read in any order: of a regular file, with pread, or in memory.
class ByteStore {
 public:
  ByteStore(FileHandle file, std::size_t size, std::string path)
      : file_(std::make_shared<FileHandle>(std::move(file))), size_(size), path_(std::move(path)) {}
  explicit ByteStore(Bytes bytes) : bytes_(std::move(bytes)), size_(bytes_.size) {}
  std::size_t size() const { return size_; }
  /// [offset, offset + length) must lie within size().
  std::string at(std::size_t offset, std::size_t length) const;
  std::unique_ptr<ByteSource> range(std::size_t offset, std::size_t length) const;

 private:
  std::shared_ptr<const FileHandle> file_;
  Bytes bytes_;
  std::size_t size_;
  std::string path_;
};

/// A growing array whose pages are moved, not copied, by realloc: filling it takes little more
/// memory than it holds in the end.
template <class T>
class GrowingArray {
 public:
  GrowingArray() = default;
  GrowingArray(GrowingArray&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)),
        capacity_(std::exchange(other.capacity_, 0)) {}
  GrowingArray& operator=(GrowingArray&&) = delete;
  ~GrowingArray() { std::free(data_); }

  /// Room for `count` more elements behind the last one; `added` makes them count.
  T* room(std::size_t count) {
    if (capacity_ - size_ < count) resize_to(std::max(size_ + count, size_ + size_ / 2));
    return data_ + size_;
  }
  void added(std::size_t count) { size_ += count; }
  std::size_t size() const { return size_; }
  const T* data() const { return data_; }
  /// Gives the memory away, without spare room.
  std::shared_ptr<const void> release() {
    if (size_ > 0 && size_ < capacity_) resize_to(size_);
    return std::shared_ptr<const void>(std::exchange(data_, nullptr), std::free);
  }

 private:
  void resize_to(std::size_t capacity) {
    void* moved = std::realloc(data_, capacity * sizeof(T));
    if (moved == nullptr) throw std::bad_alloc();
    data_ = static_cast<T*>(moved);
    capacity_ = capacity;
  }
  T* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace credence::io
