// Values that are made on a thread of their own while the last one is being used.
#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

namespace credence::core {

/// At most one value waits while another is made, so that three exist at a time with the one in
/// use. Memory of values is used again.
template <class T>
class ReadAhead {
 public:
  ~ReadAhead() { stop(); }

  /// Begins anew. `make` fills a value, whatever is in it, and returns false at the end; it runs on
  /// the other thread only.
  void start(std::function<bool(T&)> make) {
    stop();
    stopped_ = ended_ = false;
    waiting_.reset();
    thread_ = std::jthread([this, make = std::move(make)] { run(make); });
  }
  bool is_running() const { return thread_.joinable(); }
  void stop() {
    {
      const std::lock_guard lock(mutex_);
      stopped_ = true;
    }
    changed_.notify_all();
    if (thread_.joinable()) thread_.join();
    failure_ = nullptr;
  }
  /// The next value in the place of `value`, whose memory is used again; false at the end. What
  /// went wrong on the other thread is thrown here.
  bool next(T& value) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return waiting_ || ended_; });
    if (waiting_) {
      std::swap(value, *waiting_);
      spare_ = std::move(*waiting_);
      waiting_.reset();
      lock.unlock();
      changed_.notify_all();
      return true;
    }
    if (failure_) std::rethrow_exception(failure_);
    return false;
  }

 private:
  void run(const std::function<bool(T&)>& make) {
    try {
      for (T value; make(value);) {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return !waiting_ || stopped_; });
        if (stopped_) break;
        waiting_ = std::move(value);
        value = spare_ ? std::move(*spare_) : T();
        spare_.reset();
        lock.unlock();
        changed_.notify_all();
      }
    } catch (...) {
      failure_ = std::current_exception();
    }
    const std::lock_guard lock(mutex_);
    ended_ = true;
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<T> waiting_, spare_;
  bool stopped_ = false, ended_ = true;
  std::exception_ptr failure_;
  std::jthread thread_;
};

}  // namespace credence::core
