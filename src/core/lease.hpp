// A number of elements of this thread's scratch memory, given back at the end of the block. A few
// elements, a row of some classes, come from the stack: finding the thread's own memory takes
// longer than using it.
#pragma once

#include <cstddef>
#include <new>
#include <span>
#include <type_traits>

#include "core/scratch.hpp"

namespace credence::core {

template <class T>
class Lease {
 public:
  static_assert(std::is_trivial_v<T>);
  explicit Lease(std::size_t size) : data_(size <= kFew ? few_ : take(size)), size_(size) {}
  ~Lease() {
    if (data_ != few_) give_scratch();
  }
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;

  T* data() const { return data_; }
  std::size_t size() const { return size_; }
  T& operator[](std::size_t i) const { return data_[i]; }
  std::span<T> span() const { return {data_, size_}; }

 private:
  static T* take(std::size_t size) {
    if (size > static_cast<std::size_t>(-1) / sizeof(T)) throw std::bad_array_new_length();
    return static_cast<T*>(take_scratch(size * sizeof(T)));
  }

  static constexpr std::size_t kFew = 32;

  T* data_;
  std::size_t size_;
  alignas(64) mutable T few_[kFew];  // what it holds is not part of a lease being const
};

}  // namespace credence::core
