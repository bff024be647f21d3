// Sums over blocks of rows whose bits depend neither on threads nor on chunking: each block fills a
// state of its own, and states are added in block order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "core/parallel.hpp"

namespace credence::core {

struct Execution {
  int threads = 1;
  std::size_t blocks_per_task = 0;  ///< 0 chooses
};

/// For every block b in [0, blocks): work(b, state) on some thread, then fold(state) here, in order
/// of b. States are reused; `make` builds one and `state_bytes` bounds how many exist at a time.
template <class Make, class Work, class Fold>
void ordered_blocks(std::size_t blocks, const Execution& execution, std::size_t state_bytes,
                    const Make& make, const Work& work, const Fold& fold) {
  constexpr std::size_t kStateBudget = std::size_t{64} << 20;
  const auto threads = static_cast<std::size_t>(std::max(execution.threads, 1));
  const std::size_t affordable = kStateBudget / std::max<std::size_t>(state_bytes, 64);
  const std::size_t wave = std::min(blocks, std::max(threads, affordable));
  std::vector<decltype(make())> states;
  states.reserve(wave);
  for (std::size_t i = 0; i < wave; ++i) states.push_back(make());
  const std::size_t per_task = execution.blocks_per_task != 0
                                   ? execution.blocks_per_task
                                   : std::max<std::size_t>(1, wave / (8 * threads));
  for (std::size_t first = 0; first < blocks; first += wave) {
    const std::size_t count = std::min(wave, blocks - first);
    parallel_for(execution.threads, (count + per_task - 1) / per_task, [&](std::size_t task) {
      const std::size_t end = std::min(count, (task + 1) * per_task);
      for (std::size_t i = task * per_task; i < end; ++i) work(first + i, states[i]);
    });
    for (std::size_t i = 0; i < count; ++i) fold(states[i]);
  }
}

}  // namespace credence::core
