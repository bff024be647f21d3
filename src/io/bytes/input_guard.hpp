// Inputs that change while they are read: a result must not be made of two versions of a file.
#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "credence/io.hpp"
#include "io/bytes/file_handle.hpp"

namespace credence::io {

/// What a change of a file changes. Pipes and devices have no state that could be compared.
struct FileState {
  bool is_file = false;
  std::uint64_t device = 0, inode = 0, size = 0;
  std::int64_t seconds = 0, nanoseconds = 0;
  friend bool operator==(const FileState&, const FileState&) = default;
};
FileState state_of(const struct stat& info);
FileState state_of(const FileHandle& file);

[[noreturn]] void throw_changed(const std::string& path);
/// Throws when a file is not what it was when `before` was taken.
void check_unchanged(const FileHandle& file, const FileState& before, const std::string& path);

/// While inputs are watched: `path` is looked at again by check_inputs.
void remember_input(const std::string& path, const FileState& state);
/// The program itself is about to replace this file.
void forget_input(const std::string& path) noexcept;

/// A whole file as memory; null where mapping is not allowed (inputs are not watched) or fails.
std::shared_ptr<const void> map_input(const FileHandle& file, std::size_t size,
                                      const std::string& path);

}  // namespace credence::io
