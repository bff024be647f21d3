// A computation that can pause in the middle and be resumed with an answer: what lets an optimiser
// be written as the plain loop it is and still ask others for every sum over the data.
//
// A Task runs when it is awaited (or started by the one who owns the outermost) and hands its value
// or its exception to whoever awaits it. Pausing is somebody else's awaitable that keeps the
// handle.
#pragma once

#include <coroutine>
#include <exception>
#include <optional>
#include <utility>

namespace credence::core {

template <class T>
class [[nodiscard]] Task {
 public:
  struct promise_type {
    std::optional<T> value;
    std::exception_ptr error;
    std::coroutine_handle<> awaiting = std::noop_coroutine();

    Task get_return_object() {
      return Task(std::coroutine_handle<promise_type>::from_promise(*this));
    }
    std::suspend_always initial_suspend() noexcept { return {}; }
    auto final_suspend() noexcept {
      struct Back {
        bool await_ready() noexcept { return false; }
        std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> ended) noexcept {
          return ended.promise().awaiting;
        }
        void await_resume() noexcept {}
      };
      return Back{};
    }
    void return_value(T result) { value.emplace(std::move(result)); }
    void unhandled_exception() { error = std::current_exception(); }
  };

  Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Task& operator=(Task&& other) noexcept {
    if (this != &other) {
      if (handle_) handle_.destroy();
      handle_ = std::exchange(other.handle_, nullptr);
    }
    return *this;
  }
  ~Task() {
    if (handle_) handle_.destroy();
  }

  bool await_ready() const noexcept { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> awaiting) noexcept {
    handle_.promise().awaiting = awaiting;
    return handle_;
  }
  T await_resume() { return result(); }

  /// For the owner of the outermost task: runs to the first pause or to the end.
  void start() { handle_.resume(); }
  bool done() const { return handle_.done(); }
  /// The value of a task that is done; throws what it threw.
  T result() {
    if (handle_.promise().error) std::rethrow_exception(handle_.promise().error);
    return std::move(*handle_.promise().value);
  }

 private:
  explicit Task(std::coroutine_handle<promise_type> handle) : handle_(handle) {}
  std::coroutine_handle<promise_type> handle_;
};

}  // namespace credence::core
