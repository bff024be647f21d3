#include "io/bytes/file_handle.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>

#include <cerrno>
#include <system_error>

#include "credence/error.hpp"
#include "io/bytes/input_guard.hpp"

namespace credence::io {

void throw_system_error(std::string_view path, std::string_view action, int code) {
  std::string hint;
  if (code == ENOENT) hint = "check the path; relative paths start from the current directory";
  if (code == EACCES) hint = "check the permissions of the file and its directory";
  if (code == ENOSPC || code == EDQUOT) hint = "free some space, or write somewhere else";
  if (code == EFBIG) hint = "raise the limit on the size of files (ulimit -f)";
  throw Error(ErrorCode::io,
              fmt::format("{}: {}: {}", path, action, std::generic_category().message(code)),
              std::move(hint));
}

std::string display_name(const std::string& path) { return path == "-" ? "standard input" : path; }

FileHandle open_for_reading(const std::string& path) {
  if (path == "-") {
    FileHandle standard(STDIN_FILENO);
    remember_input(path, state_of(standard));
    return standard;
  }
  int fd = -1;
  do {
    fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  } while (fd < 0 && errno == EINTR);
  if (fd < 0) throw_system_error(path, "cannot open", errno);
  FileHandle handle(fd);
  struct stat info {};
  if (::fstat(fd, &info) != 0) throw_system_error(path, "cannot open", errno);
  if (S_ISDIR(info.st_mode)) {
    throw Error(ErrorCode::io, fmt::format("{}: is a directory, not a file", path),
                "name a file inside it");
  }
  remember_input(path, state_of(info));
  return handle;
}

}  // namespace credence::io
