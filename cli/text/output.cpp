#include "text/output.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "credence/error.hpp"
#include "credence/io.hpp"
#include "credence/options.hpp"
#include "credence/text.hpp"
#include "signals.hpp"
#include "text/terminal.hpp"

namespace credence::cli {
namespace {

[[noreturn]] void fail() {
  throw Error(ErrorCode::io, fmt::format("standard output: {}", std::strerror(errno)),
              "free some space, or send the output elsewhere");
}

}  // namespace

void print(std::string_view text) {
  io::check_inputs();  // before results are shown that may be made of two versions of a file
  if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size()) return;
  if (!stdout_reader_left()) fail();
}

void flush_output() {
  io::check_inputs();
  if (std::fflush(stdout) != 0 && !stdout_reader_left()) fail();
}

void occupy_closed_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(stream, F_GETFD) != -1 || errno != EBADF) continue;
    // The lowest free number is this one. The direction is the wrong one, so that use fails.
    const int flags = stream == STDIN_FILENO ? O_WRONLY : O_RDONLY;
    if (open("/dev/null", flags) != stream) _exit(1);
  }
}

void print_note(std::string_view text) {
  const std::string line = fmt::format("{} {}\n", Paint(stderr).bold("note:"),
                                       printable(render(text, Speech::command_line)));
  std::fputs(line.c_str(), stderr);
}

void print_notes(const std::vector<std::string>& notes) {
  for (auto note = notes.begin(); note != notes.end(); ++note) {
    if (std::find(notes.begin(), note, *note) == note) print_note(*note);
  }
}

std::string short_number(double value) { return fmt::format("{:.6g}", value); }
std::string exact_number(double value) { return fmt::format("{}", value); }

std::string grouped(std::size_t value) { return grouped_digits(value); }

}  // namespace credence::cli
