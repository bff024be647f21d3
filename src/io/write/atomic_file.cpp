#include "io/write/atomic_file.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "credence/error.hpp"
#include "credence/io.hpp"
#include "io/bytes/input_guard.hpp"
#include "io/write/atomic_pending.hpp"
#include "io/write/temporary_name.hpp"

namespace credence::io {
namespace {

namespace fs = std::filesystem;

int open_retrying(const char* path, int flags, mode_t mode = 0) {
  int fd = -1;
  do {
    fd = ::open(path, flags | O_CLOEXEC, mode);
  } while (fd < 0 && errno == EINTR);
  return fd;
}

struct Destination {
  std::string resolved;  // absolute, behind symbolic links
  bool direct = false;   // exists and is no regular file
  mode_t mode = 0;       // of the file to be replaced, 0 when there is none
};

/// Where writing through symbolic links would lead, whether there is a file or not.
fs::path behind_links(fs::path path) {
  std::error_code failure;
  // stat(2) has followed the links, or refused more of them than this.
  for (int links = 0; links < 40 && fs::is_symlink(path, failure); ++links) {
    path = path.parent_path() / fs::read_symlink(path, failure);
  }
  return path;
}

Destination examine(const std::string& path) {
  if (path.empty()) throw Error(ErrorCode::usage, "the name of the output file is empty");
  Destination result;
  struct stat info {};
  const bool exists = ::stat(path.c_str(), &info) == 0;
  if (!exists && errno != ENOENT) throw_system_error(path, "cannot write", errno);
  if ((exists && S_ISDIR(info.st_mode)) || path.back() == '/') {
    throw Error(ErrorCode::io, fmt::format("{}: is a directory, not a file", path),
                "name a file inside it");
  }
  // Renaming would replace even a file that its owner has protected.
  if (exists && ::access(path.c_str(), W_OK) != 0) throw_system_error(path, "cannot write", errno);
  result.direct = exists && !S_ISREG(info.st_mode);
  if (exists) result.mode = info.st_mode & 07777;
  result.resolved = behind_links(fs::absolute(path)).string();
  return result;
}

}  // namespace

void write_fully(const FileHandle& file, std::string_view bytes, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(file.get(), bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) throw_system_error(path, "cannot write", put == 0 ? ENOSPC : errno);
    bytes.remove_prefix(static_cast<std::size_t>(put));
  }
}

void write_fully_at(const FileHandle& file, std::size_t offset, std::string_view bytes,
                    const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t put =
        ::pwrite(file.get(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) throw_system_error(path, "cannot write", put == 0 ? ENOSPC : errno);
    offset += static_cast<std::size_t>(put);
    bytes.remove_prefix(static_cast<std::size_t>(put));
  }
}

AtomicFile::AtomicFile(const std::string& path) : name_(path == "-" ? "standard output" : path) {
  if (path == "-") {
    std::fflush(stdout);  // what the program printed so far comes first
    file_ = FileHandle(STDOUT_FILENO);
    return;
  }
  const Destination destination = examine(path);
  if (destination.direct) {
    file_ = FileHandle(open_retrying(path.c_str(), O_WRONLY));
    if (!file_.is_open()) throw_system_error(name_, "cannot write", errno);
    return;
  }
  destination_ = destination.resolved;
  create_temporary();
  if (destination.mode != 0 && ::fchmod(file_.get(), destination.mode) != 0) {
    const int code = errno;
    discard();
    throw_system_error(name_, "cannot write", code);
  }
}

void AtomicFile::create_temporary() {
  remove_stale_files(fs::path(destination_).parent_path());
  bool lockable = true;
  for (int attempt = 0; attempt < 100; ++attempt) {
    temporary_ = temporary_beside(destination_, lockable).string();
    // Remembered before it exists, so that no signal finds a file nobody knows of.
    slot_ = add_pending_file(temporary_);
    file_ = FileHandle(open_retrying(temporary_.c_str(), O_RDWR | O_CREAT | O_EXCL, 0666));
    if (!file_.is_open()) {
      const int code = errno;
      temporary_.clear();
      discard();
      if (code == ENOENT) {
        throw Error(ErrorCode::io,
                    fmt::format("{}: the directory {} does not exist", name_,
                                fs::path(destination_).parent_path().string()),
                    "create it first, or write somewhere else");
      }
      if (code != EEXIST) throw_system_error(name_, "cannot create", code);
      continue;
    }
    const Claim claim = lockable ? claim_file(file_.get()) : Claim::held;
    if (claim == Claim::held) return;
    lockable = claim != Claim::impossible;
    discard();
  }
  throw_system_error(name_, "cannot create", EEXIST);
}

AtomicFile::~AtomicFile() { discard(); }

void AtomicFile::discard() noexcept {
  file_.close();
  lock_.close();
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  drop_pending_file(slot_);
  slot_ = -1;
  temporary_.clear();
}

void AtomicFile::write(std::string_view bytes) {
  if (temporary_.empty()) check_inputs();
  write_fully(file_, bytes, name_);
}

void AtomicFile::write_at(std::size_t offset, std::string_view bytes) {
  write_fully_at(file_, offset, bytes, name_);
}

void AtomicFile::finish() {
  check_inputs();
  if (!file_.is_open()) return;
  if (!temporary_.empty()) {
    // Closing tells of late write errors, but the lock must last until the file has its name.
    lock_ = FileHandle(::fcntl(file_.get(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
    if (!lock_.is_open()) throw_system_error(name_, "cannot write", errno);
  }
  if (!file_.close()) throw_system_error(name_, "cannot write", errno);
}

void AtomicFile::commit() {
  finish();
  if (temporary_.empty()) return;
  if (::rename(temporary_.c_str(), destination_.c_str()) != 0) {
    throw_system_error(name_, "cannot rename the finished file", errno);
  }
  forget_input(name_);
  forget_input(destination_);
  temporary_.clear();
  discard();
}

FileHandle make_spool_file(const std::string& path) {
  const char* directory = std::getenv("TMPDIR");
  const fs::path place = directory != nullptr && *directory != '\0' ? directory : "/tmp";
  std::string name = (place / ".credence-spool-XXXXXX").string();
  FileHandle file(::mkostemp(name.data(), O_CLOEXEC));
  if (!file.is_open()) {
    throw_system_error(path, fmt::format("cannot create a temporary file in {}", place.string()),
                       errno);
  }
  ::unlink(name.c_str());
  return file;
}

void write_text(const std::string& path, std::string_view text) {
  AtomicFile file(path);
  file.write(text);
  file.commit();
}

void check_writable(const std::string& path) {
  if (path == "-") return;
  // Creating a file is the only reliable test: permissions do not tell of read-only file systems.
  if (!examine(path).direct) const AtomicFile probe(path);
}

}  // namespace credence::io
