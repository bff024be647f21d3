// Work over an index range on several threads; the caller makes results independent of order.
#pragma once

#include <cstddef>
#include <functional>

namespace credence::core {

/// 0 means as many threads as the machine has.
int resolve_threads(int requested);

/// The same for work on so many numbers: one where starting a thread would take longer.
int threads_for(std::size_t numbers, int requested);

/// Calls task(i) for every i in [0, count) on up to `threads` threads (the caller's included) and
/// returns when all are done. The first exception is rethrown here.
void parallel_for(int threads, std::size_t count, const std::function<void(std::size_t)>& task);

}  // namespace credence::core
