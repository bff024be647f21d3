#include "io/write/temporary_name.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <mutex>
#include <string>
#include <string_view>
#include <system_error>

#include "io/bytes/file_handle.hpp"

namespace credence::io {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kEnding = ".tmp";
constexpr std::size_t kHalf = 8;  // hexadecimal digits of the machine's mark, and of chance

std::uint32_t random_number() {
  std::uint32_t bits = 0;
  if (::getrandom(&bits, sizeof bits, GRND_NONBLOCK) == static_cast<ssize_t>(sizeof bits)) {
    return bits;
  }
  static std::atomic<std::uint32_t> counter{0};
  const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
  return static_cast<std::uint32_t>(now) ^ static_cast<std::uint32_t>(::getpid()) << 16 ^ ++counter;
}

/// FNV-1a of the machine's name; never 0, which marks files that have no lock.
std::uint32_t machine_mark() {
  utsname machine{};
  ::uname(&machine);
  std::uint32_t hash = 2166136261U;
  for (const char c : std::string_view(machine.nodename)) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  }
  return std::max(hash, 1U);
}

bool is_lockable_name(std::string_view name) {
  const std::size_t tail = 1 + 2 * kHalf + kEnding.size();
  if (name.size() <= tail || name.front() != '.' || !name.ends_with(kEnding)) return false;
  name.remove_prefix(name.size() - tail);
  const std::string_view chance = name.substr(1 + kHalf, kHalf);
  return name.front() == '.' && name.substr(1, kHalf) == fmt::format("{:08x}", machine_mark()) &&
         chance.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

/// flock(2) and not fcntl(2): the lock belongs to the open file, so this process sees its own.
int lock(int fd, int how) {
  while (::flock(fd, how) != 0) {
    if (errno != EINTR) return errno;
  }
  return 0;
}

void remove_if_stale(const fs::path& path) {
  // For writing, since a lock on a network file system wants that.
  const FileHandle file(
      ::open(path.c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  struct stat info {};
  if (!file.is_open() || ::fstat(file.get(), &info) != 0) return;
  if (!S_ISREG(info.st_mode) || info.st_uid != ::geteuid()) return;
  if (lock(file.get(), LOCK_EX | LOCK_NB) == 0) ::unlink(path.c_str());
}

}  // namespace

fs::path temporary_beside(const fs::path& destination, bool lockable) {
  const std::string base = destination.filename().string().substr(0, 100);
  return destination.parent_path() / fmt::format(".{}.{:08x}{:08x}{}", base,
                                                 lockable ? machine_mark() : 0, random_number(),
                                                 kEnding);
}

Claim claim_file(int fd) {
  if (lock(fd, LOCK_EX) != 0) return Claim::impossible;
  struct stat info {};
  return ::fstat(fd, &info) == 0 && info.st_nlink == 0 ? Claim::removed : Claim::held;
}

void remove_stale_files(const fs::path& folder) {
  static std::mutex mutex;
  static fs::path searched;
  {
    const std::lock_guard guard(mutex);
    if (folder == searched) return;
    searched = folder;
  }
  std::error_code failure;
  for (fs::directory_iterator at(folder, failure), end; !failure && at != end;
       at.increment(failure)) {
    if (is_lockable_name(at->path().filename().string())) remove_if_stale(at->path());
  }
}

}  // namespace credence::io
