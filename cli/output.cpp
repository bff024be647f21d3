#include "output.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "core/text.hpp"
#include "credence/error.hpp"
#include "credence/io.hpp"
#include "terminal.hpp"

namespace credence::cli {
namespace {

[[noreturn]] void fail() {
  throw Error(ErrorCode::io, fmt::format("standard output: {}", std::strerror(errno)),
              "free some space, or send the output elsewhere");
}

}  // namespace

void print(std::string_view text) {
  io::check_inputs();  // before results are shown that may be made of two versions of a file
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) fail();
}

void flush_output() {
  io::check_inputs();
  if (std::fflush(stdout) != 0) fail();
}

void print_note(std::string_view text) {
  const std::string line = fmt::format("{} {}\n", Paint(stderr).bold("note:"), printable(text));
  std::fputs(line.c_str(), stderr);
}

void print_notes(const std::vector<std::string>& notes) {
  for (const std::string& note : notes) print_note(note);
}

std::string short_number(double value) { return fmt::format("{:.6g}", value); }
std::string exact_number(double value) { return fmt::format("{}", value); }

std::string grouped(std::size_t value) { return core::grouped_digits(value); }

}  // namespace credence::cli
