// Files that appear whole or not at all.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "io/bytes/file_handle.hpp"

namespace credence::io {

/// Writes beside the destination under a temporary name; `commit` renames it into place, and
/// destruction without commit removes it; what a killed process left is removed by the next that
/// writes to the same folder. A symbolic link stays, and leads to the file. Standard output ("-")
/// and destinations that are no regular files (/dev/full, a pipe) are written directly. A
/// destination that is a directory, and every failed write, is an Error naming the path. Broken
/// pipes are reported as errors only where the program ignores SIGPIPE.
class AtomicFile {
 public:
  explicit AtomicFile(const std::string& path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::string_view bytes);
  /// Overwrites earlier bytes; only when `can_patch`.
  void write_at(std::size_t offset, std::string_view bytes);
  bool can_patch() const { return !temporary_.empty(); }
  /// The name until `commit`, for others who write the file; empty when it is written directly.
  const std::string& temporary() const { return temporary_; }
  /// Everything is written; what the system says late, it says here.
  void finish();
  void commit();
  const std::string& path() const { return name_; }

 private:
  void create_temporary();
  void discard() noexcept;

  std::string name_;         // for messages
  std::string destination_;  // behind symbolic links; empty when written directly
  std::string temporary_;
  int slot_ = -1;  // in the table of pending files
  FileHandle file_;
  FileHandle lock_;  // keeps the claim on the temporary file between finish and commit
};

/// A file without a name that vanishes by itself, for output that must be complete before it can
/// be sent.
FileHandle make_spool_file(const std::string& path);

/// write(2) and pwrite(2) until everything is written.
void write_fully(const FileHandle& file, std::string_view bytes, const std::string& path);
void write_fully_at(const FileHandle& file, std::size_t offset, std::string_view bytes,
                    const std::string& path);

}  // namespace credence::io
