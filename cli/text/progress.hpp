// A line that says what a long job is doing.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace credence::cli {

/// Shows `text` and the seconds passed on standard error, from one second on, and wipes the line
/// when destroyed. Where standard error is no terminal, it writes a line every ten seconds, for the
/// log of a job that takes hours.
class Progress {
 public:
  explicit Progress(const std::string& text);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void update(const std::string& text);
  /// The share done, and from it about how long the rest will take.
  void update(double share, const std::string& text);

 private:
  void tick();

  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::mutex mutex_;
  std::condition_variable wake_;
  std::string text_;
  bool done_ = false;
  bool lines_ = false;  ///< no terminal: whole lines, seldom
  bool shown_ = false;
  std::thread thread_;
};

}  // namespace credence::cli
