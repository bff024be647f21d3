// An open file descriptor, and errors of the operating system in words.
#pragma once

#include <unistd.h>

#include <string>
#include <string_view>
#include <utility>

#include "credence/io.hpp"

namespace credence::io {

/// Owns a descriptor; standard input and output are borrowed and stay open.
class FileHandle {
 public:
  FileHandle() = default;
  explicit FileHandle(int fd) : fd_(fd) {}
  FileHandle(FileHandle&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileHandle& operator=(FileHandle&& other) noexcept {
    if (this != &other) {
      close();
      fd_ = std::exchange(other.fd_, -1);
    }
    return *this;
  }
  ~FileHandle() { close(); }

  int get() const { return fd_; }
  bool is_open() const { return fd_ >= 0; }
  /// False when the system reports a late write error.
  bool close() noexcept {
    const int fd = std::exchange(fd_, -1);
    return fd <= STDERR_FILENO || ::close(fd) == 0;
  }

 private:
  int fd_ = -1;
};

/// Throws Error(io): "path: cannot open: No such file or directory".
[[noreturn]] void throw_system_error(std::string_view path, std::string_view action, int code);

/// Opens for reading ("-" is standard input); a directory is refused.
FileHandle open_for_reading(const std::string& path);

}  // namespace credence::io
