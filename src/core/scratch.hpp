// Memory that a thread keeps from one call to the next, so that work on small pieces does not ask
// the system for memory every time. No inline functions that could be linked: kernels include this.
#pragma once

#include <cstddef>

namespace credence::core {

/// `bytes` of memory of this thread, aligned to 64, until the matching give_scratch. Leases nest:
/// the last taken is given back first. What was in it is undefined.
void* take_scratch(std::size_t bytes);
void give_scratch() noexcept;

/// Makes the first `leases` that this thread takes from now on free of allocation up to `bytes`.
void prepare_scratch(std::size_t leases, std::size_t bytes);

}  // namespace credence::core
