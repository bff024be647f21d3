#include "io/bytes/input_guard.hpp"

#include <fmt/core.h>
#include <sys/mman.h>

#include <atomic>
#include <cstring>
#include <mutex>
#include <vector>

#include "credence/error.hpp"

namespace credence::io {
namespace {

struct Remembered {
  std::string path;
  FileState state;
};
std::atomic<bool> watching{false};
std::mutex guard;
std::vector<Remembered> remembered;  // behind the mutex

// Read by a handler of SIGBUS, which may not lock or allocate: fixed slots, each guarded by a state
// that says whether it is complete.
enum class MappingState : int { unused, being_filled, mapped };
struct Mapping {
  std::atomic<MappingState> state{MappingState::unused};
  const char* start = nullptr;
  std::size_t size = 0;
  char path[4096] = {};
};
static_assert(std::atomic<MappingState>::is_always_lock_free);
Mapping mappings[16];

Mapping* register_mapping(const void* start, std::size_t size, const std::string& path) {
  for (Mapping& slot : mappings) {
    MappingState expected = MappingState::unused;
    if (!slot.state.compare_exchange_strong(expected, MappingState::being_filled)) continue;
    slot.start = static_cast<const char*>(start);
    slot.size = size;
    const std::size_t length = path.copy(slot.path, sizeof slot.path - 1);
    slot.path[length] = '\0';
    // The handler writes the name to a terminal as it is.
    for (char* c = slot.path; *c != '\0'; ++c) {
      if (static_cast<unsigned char>(*c) < 0x20 || *c == 0x7f) *c = '?';
    }
    slot.state.store(MappingState::mapped);
    return &slot;
  }
  return nullptr;
}

}  // namespace

FileState state_of(const struct stat& info) {
  if (!S_ISREG(info.st_mode)) return {};
  return {.is_file = true,
          .device = info.st_dev,
          .inode = info.st_ino,
          .size = static_cast<std::uint64_t>(info.st_size),
          .seconds = info.st_mtim.tv_sec,
          .nanoseconds = info.st_mtim.tv_nsec};
}

FileState state_of(const FileHandle& file) {
  struct stat info {};
  return ::fstat(file.get(), &info) == 0 ? state_of(info) : FileState{};
}

void throw_changed(const std::string& path) {
  throw Error(ErrorCode::io, fmt::format("{}: the file changed while it was being read", path),
              "wait until the program that writes it is done, then run this again");
}

void check_unchanged(const FileHandle& file, const FileState& before, const std::string& path) {
  if (before.is_file && state_of(file) != before) throw_changed(path);
}

void remember_input(const std::string& path, const FileState& state) {
  if (!watching.load() || !state.is_file) return;
  const std::lock_guard lock(guard);
  remembered.push_back({path, state});
}

void forget_input(const std::string& path) noexcept {
  if (!watching.load()) return;
  const std::lock_guard lock(guard);
  std::erase_if(remembered, [&](const Remembered& input) { return input.path == path; });
}

void watch_inputs(bool on) {
  watching.store(on);
  const std::lock_guard lock(guard);
  remembered.clear();
}

void check_inputs() {
  if (!watching.load()) return;
  const std::lock_guard lock(guard);
  for (const Remembered& input : remembered) {
    struct stat now {};
    const bool standard = input.path == "-";
    const int status = standard ? ::fstat(STDIN_FILENO, &now) : ::stat(input.path.c_str(), &now);
    // A file that was deleted meanwhile was still read as it was.
    if (status == 0 && state_of(now) != input.state) throw_changed(display_name(input.path));
  }
}

std::shared_ptr<const void> map_input(const FileHandle& file, std::size_t size,
                                      const std::string& path) {
  if (!watching.load()) return nullptr;
  void* const start = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.get(), 0);
  if (start == MAP_FAILED) return nullptr;
  Mapping* const slot = register_mapping(start, size, path);
  // Without a name for the handler a file that shrinks would end the program without a word.
  if (slot == nullptr) {
    ::munmap(start, size);
    return nullptr;
  }
  return {start, [size, slot](const void* mapped) {
            slot->state.store(MappingState::unused);
            ::munmap(const_cast<void*>(mapped), size);
          }};
}

const char* mapped_input_at(const void* address) noexcept {
  const auto* const at = static_cast<const char*>(address);
  for (const Mapping& slot : mappings) {
    if (slot.state.load() == MappingState::mapped && at >= slot.start &&
        at < slot.start + slot.size) {
      return slot.path;
    }
  }
  return nullptr;
}

}  // namespace credence::io
