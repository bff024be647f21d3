// Where an optimiser leaves a request and waits for its answer.
#pragma once

#include <coroutine>
#include <utility>

#include "core/task.hpp"
#include "credence/solver.hpp"

namespace credence::fit_detail {

class Desk {
 public:
  /// States answer the requests of this desk alone: `label` tells it from others.
  explicit Desk(std::uint64_t label = 0) : label_(label) {}
  Desk(const Desk&) = delete;
  Desk& operator=(const Desk&) = delete;

  /// How many requests were put; after a resumption, including those before.
  std::uint64_t count() const { return count_; }
  void count_from(std::uint64_t count) { count_ = count; }

  /// For the optimiser: `desk.put(request); const State answer = co_await desk;`
  void put(Request request) {
    request_ = std::move(request);
    request_.number = label_ + ++count_;
  }
  auto operator co_await() {
    struct Wait {
      Desk* desk;
      bool await_ready() const noexcept { return false; }
      void await_suspend(std::coroutine_handle<> waiting) noexcept { desk->waiting_ = waiting; }
      State await_resume() { return std::move(desk->answer_); }
    };
    return Wait{this};
  }

  /// For whoever answers: null when nobody waits.
  const Request* asked() const { return waiting_ ? &request_ : nullptr; }
  void answer(State state) {
    answer_ = std::move(state);
    std::exchange(waiting_, nullptr).resume();
  }

 private:
  std::uint64_t label_, count_ = 0;
  Request request_;
  State answer_;
  std::coroutine_handle<> waiting_;
};

/// Runs an optimiser to its end with answers from rows at hand.
template <class T, class Rows>
T run_with(core::Task<T> task, Desk& desk, Rows& rows) {
  task.start();
  while (const Request* request = desk.asked()) desk.answer(rows.answer(*request));
  return task.result();
}

}  // namespace credence::fit_detail
