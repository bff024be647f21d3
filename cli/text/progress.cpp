#include "text/progress.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "text/terminal.hpp"

namespace credence::cli {
namespace {

constexpr std::chrono::milliseconds kPatience{1000};  // no progress line for quicker work
constexpr std::chrono::milliseconds kInterval{200};
constexpr std::chrono::milliseconds kLogInterval{10000};

}  // namespace

Progress::Progress(const std::string& text)
    : text_(printable(text)), lines_(!is_terminal(stderr)), thread_([this] { tick(); }) {}

Progress::~Progress() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    done_ = true;
  }
  wake_.notify_one();
  thread_.join();
  if (shown_) std::fputs("\r\x1b[K", stderr);
}

void Progress::update(const std::string& text) {
  const std::lock_guard lock(mutex_);
  text_ = printable(text);
}

void Progress::update(double share, const std::string& text) {
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start_;
  std::string line = fmt::format("{:3.0f} %  {}", 100.0 * share, text);
  // The first per cents say little about the others.
  if (share > 0.05 && share < 1.0) {
    line += fmt::format(", about {:.0f} s left", passed.count() * (1.0 - share) / share);
  }
  update(line);
}

void Progress::tick() {
  std::unique_lock lock(mutex_);
  wake_.wait_for(lock, lines_ ? kLogInterval : kPatience, [this] { return done_; });
  while (!done_) {
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start_;
    const std::string line = fmt::format("{}{}  ({:.0f} s){}", lines_ ? "" : "\r\x1b[K", text_,
                                         passed.count(), lines_ ? "\n" : "");
    std::fputs(line.c_str(), stderr);
    std::fflush(stderr);
    shown_ = !lines_;
    wake_.wait_for(lock, lines_ ? kLogInterval : kInterval, [this] { return done_; });
  }
}

}  // namespace credence::cli
