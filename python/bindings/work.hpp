// Long work beside the interpreter: the lock is released, Ctrl-C and the progress callback are
// looked after by the thread that called, whichever threads do the work.
#pragma once

#include <nanobind/nanobind.h>

#include <functional>
#include <mutex>
#include <string>
#include <vector>

namespace credence::python {

namespace nb = nanobind;

/// What the work tells, and is told.
class Monitor {
 public:
  /// Keeps the state for the callback; false: stop. A share below 0 is unknown.
  bool report(double share, std::string text);
  /// Become Python warnings at once, while the work goes on.
  void warn(const std::vector<std::string>& texts);

 private:
  friend void run(const nb::object& progress, const std::function<void(Monitor&)>& work);
  std::mutex mutex_;
  double share_ = -1.0;
  std::string text_;
  std::vector<std::string> warnings_;
  bool fresh_ = false, stop_ = false;
};

/// Does `work` and returns when it is done. The callback is called with the share done (or None)
/// and a text; one that raises, or Ctrl-C, stops the work and is raised here; one that returns
/// False stops it with CredenceError. Whatever `work` throws is thrown here.
void run(const nb::object& progress, const std::function<void(Monitor&)>& work);

/// Does work that cannot be stopped on the calling thread, with the lock released: where a thread of
/// its own would take longer than the work, or lose the memory that this one has at hand.
void run_here(const std::function<void()>& work);

}  // namespace credence::python
