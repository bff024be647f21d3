#include "progress.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "terminal.hpp"

namespace credence::cli {
namespace {

constexpr std::chrono::milliseconds kPatience{1000};  // no progress line for quicker work
constexpr std::chrono::milliseconds kInterval{200};

}  // namespace

Progress::Progress(const std::string& text) : text_(printable(text)) {
  if (is_terminal(stderr)) thread_ = std::thread([this] { tick(); });
}

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

void Progress::tick() {
  std::unique_lock lock(mutex_);
  wake_.wait_for(lock, kPatience, [this] { return done_; });
  while (!done_) {
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start_;
    const std::string line = fmt::format("\r\x1b[K{}  ({:.0f} s)", text_, passed.count());
    std::fputs(line.c_str(), stderr);
    std::fflush(stderr);
    shown_ = true;
    wake_.wait_for(lock, kInterval, [this] { return done_; });
  }
}

}  // namespace credence::cli
