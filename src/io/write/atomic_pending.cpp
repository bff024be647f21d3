#include "io/write/atomic_pending.hpp"

#include <unistd.h>

#include <atomic>
#include <cstring>

#include "credence/io.hpp"

namespace credence::io {
namespace {

// A handler may run between any two instructions and may not allocate or lock: fixed buffers, each
// guarded by a lock-free state that says whether the text in it is complete.
enum State : int { kFree, kFilling, kPending };
struct Slot {
  std::atomic<int> state{kFree};
  char path[4096] = {};
};
static_assert(std::atomic<int>::is_always_lock_free);
Slot slots[32];

}  // namespace

int add_pending_file(const std::string& path) noexcept {
  if (path.size() >= sizeof(Slot::path)) return -1;
  int index = 0;
  for (Slot& slot : slots) {
    int expected = kFree;
    if (slot.state.compare_exchange_strong(expected, kFilling)) {
      std::memcpy(slot.path, path.c_str(), path.size() + 1);
      slot.state.store(kPending);
      return index;
    }
    ++index;
  }
  return -1;
}

void drop_pending_file(int slot) noexcept {
  if (slot >= 0) slots[slot].state.store(kFree);
}

void remove_pending_files() noexcept {
  for (Slot& slot : slots) {
    if (slot.state.load() == kPending) ::unlink(slot.path);
  }
  // Then the folders, which must be empty; neither call touches what is not its own kind.
  for (Slot& slot : slots) {
    if (slot.state.load() == kPending) ::rmdir(slot.path);
  }
}

}  // namespace credence::io
