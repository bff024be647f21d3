#include "core/scratch.hpp"

#include <algorithm>
#include <memory>
#include <new>
#include <vector>

namespace credence::core {
namespace {

constexpr std::size_t kAlignment = 64;

struct Free {
  void operator()(std::byte* memory) const {
    ::operator delete (memory, std::align_val_t{kAlignment});
  }
};

struct Block {
  std::unique_ptr<std::byte, Free> memory;
  std::size_t size = 0;

  void grow(std::size_t bytes) {
    if (bytes <= size) return;
    memory.reset();  // before the new one: the contents are not needed
    size = 0;
    memory.reset(static_cast<std::byte*>(::operator new (bytes, std::align_val_t{kAlignment})));
    size = bytes;
  }
};

struct Stack {
  std::vector<Block> blocks;
  std::size_t depth = 0;
  std::size_t prepared_leases = 0, prepared_bytes = 0;
};
thread_local Stack stack;

}  // namespace

void* take_scratch(std::size_t bytes) {
  Stack& own = stack;
  if (own.depth == own.blocks.size()) own.blocks.emplace_back();
  Block& block = own.blocks[own.depth];
  block.grow(std::max(bytes, kAlignment));
  ++own.depth;
  return block.memory.get();
}

void give_scratch() noexcept { --stack.depth; }

void prepare_scratch(std::size_t leases, std::size_t bytes) {
  Stack& own = stack;
  if (leases <= own.prepared_leases && bytes <= own.prepared_bytes) return;
  if (own.blocks.size() < own.depth + leases) own.blocks.resize(own.depth + leases);
  for (std::size_t i = 0; i < leases; ++i) own.blocks[own.depth + i].grow(bytes);
  own.prepared_leases = std::max(leases, own.prepared_leases);
  own.prepared_bytes = std::max(bytes, own.prepared_bytes);
}

}  // namespace credence::core
