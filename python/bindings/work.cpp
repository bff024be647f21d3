#include "work.hpp"

#include <chrono>
#include <condition_variable>
#include <exception>
#include <optional>
#include <thread>
#include <utility>

namespace credence::python {
namespace {

// Often enough that Ctrl-C feels immediate, seldom enough to cost nothing.
constexpr std::chrono::milliseconds kGlance{50};
/// Warnings name the line that called this package: two of its own functions lie between.
constexpr int kCaller = 3;

}  // namespace

bool Monitor::report(double share, std::string text) {
  const std::lock_guard lock(mutex_);
  share_ = share;
  text_ = std::move(text);
  fresh_ = true;
  return !stop_;
}

void Monitor::warn(const std::vector<std::string>& texts) {
  const std::lock_guard lock(mutex_);
  warnings_.insert(warnings_.end(), texts.begin(), texts.end());
}

void run(const nb::object& progress, const std::function<void(Monitor&)>& work) {
  Monitor monitor;
  std::exception_ptr failure;
  std::optional<nb::python_error> raised;
  bool done = false;
  std::condition_variable finished;

  // Calls Python; false when the work must stop.
  const auto look_after = [&] {
    if (PyErr_CheckSignals() != 0) {
      raised.emplace();
      return false;
    }
    double share = -1.0;
    std::string text;
    std::vector<std::string> warnings;
    {
      const std::lock_guard lock(monitor.mutex_);
      warnings.swap(monitor.warnings_);
    }
    for (const std::string& warning : warnings) {
      if (PyErr_WarnEx(PyExc_UserWarning, warning.c_str(), kCaller) != 0) {
        raised.emplace();
        return false;
      }
    }
    {
      const std::lock_guard lock(monitor.mutex_);
      if (progress.is_none() || !std::exchange(monitor.fresh_, false)) return true;
      share = monitor.share_;
      text = monitor.text_;
    }
    try {
      const nb::object known = share < 0.0 ? nb::none() : nb::object(nb::float_(share));
      return !progress(known, nb::str(text.c_str(), text.size())).is(nb::bool_(false));
    } catch (nb::python_error& error) {
      raised.emplace(std::move(error));
      return false;
    }
  };

  {
    const nb::gil_scoped_release release;
    std::thread worker([&] {
      try {
        work(monitor);
      } catch (...) {
        failure = std::current_exception();
      }
      const std::lock_guard lock(monitor.mutex_);
      done = true;
      finished.notify_one();
    });
    std::unique_lock lock(monitor.mutex_);
    while (!finished.wait_for(lock, kGlance, [&] { return done; })) {
      if (monitor.stop_) continue;
      lock.unlock();
      bool go_on = true;
      {
        const nb::gil_scoped_acquire acquire;
        go_on = look_after();
      }
      lock.lock();
      monitor.stop_ = !go_on;
    }
    lock.unlock();
    worker.join();
  }
  // Quick work is told of once.
  if (!raised && !failure) look_after();
  if (raised) throw nb::python_error(std::move(*raised));
  if (failure) std::rethrow_exception(failure);
}

void run_here(const std::function<void()>& work) {
  {
    const nb::gil_scoped_release release;
    work();
  }
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

}  // namespace credence::python
