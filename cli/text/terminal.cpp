#include "text/terminal.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <limits>

namespace credence::cli {

bool is_terminal(std::FILE* stream) { return isatty(fileno(stream)) == 1; }

namespace {

winsize size_of(std::FILE* stream) {
  winsize size{};
  if (!is_terminal(stream) || ioctl(fileno(stream), TIOCGWINSZ, &size) != 0) return {};
  return size;
}

std::size_t or_many(unsigned short extent) {
  return extent > 0 ? extent : std::numeric_limits<std::size_t>::max();
}

}  // namespace

std::size_t terminal_columns(std::FILE* stream) { return or_many(size_of(stream).ws_col); }
std::size_t terminal_rows(std::FILE* stream) { return or_many(size_of(stream).ws_row); }

Paint::Paint(std::FILE* stream) {
  const char* no_color = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  const bool declined = no_color != nullptr && *no_color != '\0';
  const bool dumb = term == nullptr || std::string_view(term) == "dumb";
  on_ = !declined && !dumb && is_terminal(stream);
}

std::string Paint::wrap(std::string_view code, std::string_view text) const {
  return on_ ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : std::string(text);
}

}  // namespace credence::cli
