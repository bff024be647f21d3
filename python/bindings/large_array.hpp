// Memory for results, which NumPy takes over. Large arrays ask for large pages, as NumPy's own do:
// filling new memory page by page takes longer than computing what it is filled with.
#pragma once

#ifdef __linux__
#include <sys/mman.h>
#endif

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>

namespace credence::python {

struct FreeArray {
  void operator()(void* memory) const noexcept { std::free(memory); }
};
template <class T>
using LargeArray = std::unique_ptr<T[], FreeArray>;

/// What is in it is undefined.
template <class T>
LargeArray<T> make_large_array(std::size_t count) {
  static_assert(std::is_trivial_v<T>);
  if (count > static_cast<std::size_t>(-1) / sizeof(T)) throw std::bad_array_new_length();
  const std::size_t bytes = count * sizeof(T);
  void* const memory = std::malloc(bytes == 0 ? 1 : bytes);
  if (memory == nullptr) throw std::bad_alloc();
#ifdef __linux__
  constexpr std::size_t kLarge = std::size_t{4} << 20U, kSmallPage = 4096;
  if (bytes >= kLarge) {
    const std::size_t before = kSmallPage - reinterpret_cast<std::uintptr_t>(memory) % kSmallPage;
    madvise(static_cast<char*>(memory) + before, bytes - before, MADV_HUGEPAGE);  // or it stays slow
  }
#endif
  return LargeArray<T>(static_cast<T*>(memory));
}

}  // namespace credence::python
