#include "signals.hpp"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>

#include "credence/io.hpp"
#include "errors.hpp"

namespace credence::cli {
namespace {

volatile sig_atomic_t reader_left = 0;

// The signal comes in the middle of the failing write, so the descriptor is still what it was. A
// broken standard error must not be taken for it.
void on_broken_pipe(int) {
  const int saved = errno;
  pollfd entry{STDOUT_FILENO, POLLOUT, 0};
  if (poll(&entry, 1, 0) == 1 && (entry.revents & (POLLERR | POLLHUP)) != 0) reader_left = 1;
  errno = saved;
}

void on_interrupt(int signal_number) {
  io::remove_pending_files();
  // SA_RESETHAND restored the default action, so the parent sees the true cause of death.
  raise(signal_number);
}

void write_error(const char* text) {
  for (std::size_t left = std::strlen(text); left > 0;) {
    const ssize_t written = write(STDERR_FILENO, text, left);
    if (written <= 0) return;
    text += written;
    left -= static_cast<std::size_t>(written);
  }
}

// A mapped input became shorter: the page that was asked for is no longer there. Whatever thread
// this is, the result is lost; what is left is to say so.
void on_bus_error(int signal_number, siginfo_t* info, void*) {
  const char* const path = io::mapped_input_at(info->si_addr);
  if (path == nullptr) {
    // Not ours: SA_RESETHAND restored the default action, and the access is tried again.
    raise(signal_number);
    return;
  }
  io::remove_pending_files();
  write_error("credence: error: ");
  write_error(path);
  write_error(
      ": the file became shorter while it was being read\n"
      "  hint: wait until the program that writes it is done, then run this again\n");
  _exit(kExitFailed);
}

void handle(int signal_number, void (*handler)(int), int flags) {
  struct sigaction current {};
  sigaction(signal_number, nullptr, &current);
  // A caller that ignores the signal (nohup) keeps its wish.
  if (current.sa_handler == SIG_IGN) return;
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  sigemptyset(&action.sa_mask);
  sigaction(signal_number, &action, nullptr);
}

}  // namespace

void install_signal_handlers() {
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXCPU}) {
    handle(number, on_interrupt, static_cast<int>(SA_RESETHAND));
  }
  // A file beyond the limit (ulimit -f) is then a failed write like any other.
  handle(SIGXFSZ, SIG_IGN, 0);
  struct sigaction bus {};
  bus.sa_sigaction = on_bus_error;
  bus.sa_flags = static_cast<int>(SA_SIGINFO | SA_RESETHAND);
  sigemptyset(&bus.sa_mask);
  sigaction(SIGBUS, &bus, nullptr);
  // Not SIG_IGN: the flag tells a broken pipe from other failures to write. Installed whatever the
  // caller set, since the handler only makes write() fail as ignoring would.
  struct sigaction action {};
  action.sa_handler = on_broken_pipe;
  sigemptyset(&action.sa_mask);
  sigaction(SIGPIPE, &action, nullptr);
}

bool stdout_reader_left() { return reader_left != 0; }

}  // namespace credence::cli
