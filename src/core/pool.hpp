// Buffers that outlive a block but not a pass: each thread borrows one and gives it back, so that
// large buffers are not taken from the system again for every block.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

namespace credence::core {

template <class T>
class Pool {
 public:
  /// Calls body(buffer) with a free buffer, made by make() when there is none.
  template <class Make, class Body>
  void borrow(const Make& make, const Body& body) {
    std::unique_ptr<T> buffer = take();
    if (!buffer) buffer = std::make_unique<T>(make());
    body(*buffer);
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(buffer));
  }

 private:
  std::unique_ptr<T> take() {
    const std::lock_guard lock(mutex_);
    if (free_.empty()) return nullptr;
    std::unique_ptr<T> last = std::move(free_.back());
    free_.pop_back();
    return last;
  }

  std::mutex mutex_;
  std::vector<std::unique_ptr<T>> free_;
};

}  // namespace credence::core
