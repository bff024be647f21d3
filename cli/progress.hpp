// A line that says what a long job is doing, for people at a terminal only.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace credence::cli {

/// Shows `text` and the seconds passed on standard error, from one second on, and wipes the line
/// when destroyed. Does nothing when standard error is no terminal.
class Progress {
 public:
  explicit Progress(const std::string& text);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void update(const std::string& text);

 private:
  void tick();

  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::mutex mutex_;
  std::condition_variable wake_;
  std::string text_;
  bool done_ = false;
  bool shown_ = false;
  std::thread thread_;
};

}  // namespace credence::cli
