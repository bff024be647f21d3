#include "core/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace credence::core {
namespace {

/// Threads that are waited for at the end, whatever ends it: std::jthread, which not every standard
/// library has.
struct Team {
  std::vector<std::thread> threads;
  ~Team() {
    for (std::thread& thread : threads) thread.join();
  }
};

}  // namespace

int resolve_threads(int requested) {
  if (requested > 0) return requested;
  return static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}

int threads_for(std::size_t numbers, int requested) {
  constexpr std::size_t kFewNumbers = std::size_t{1} << 18U;
  return numbers < kFewNumbers ? 1 : resolve_threads(requested);
}

void parallel_for(int threads, std::size_t count, const std::function<void(std::size_t)>& task) {
  const auto workers = std::min<std::size_t>(static_cast<std::size_t>(std::max(threads, 1)), count);
  if (workers <= 1) {
    for (std::size_t i = 0; i < count; ++i) task(i);
    return;
  }
  std::atomic<std::size_t> next{0};
  std::exception_ptr failure;
  std::mutex failure_mutex;
  const auto work = [&] {
    for (std::size_t i = next++; i < count; i = next++) {
      try {
        task(i);
      } catch (...) {
        const std::lock_guard lock(failure_mutex);
        if (!failure) failure = std::current_exception();
        next = count;
      }
    }
  };
  {
    Team team;
    team.threads.reserve(workers - 1);
    for (std::size_t w = 1; w < workers; ++w) team.threads.emplace_back(work);
    work();
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace credence::core
