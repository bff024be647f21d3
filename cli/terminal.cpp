#include "terminal.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <limits>

namespace credence::cli {

bool is_terminal(std::FILE* stream) { return isatty(fileno(stream)) == 1; }

std::size_t terminal_columns(std::FILE* stream) {
  winsize size{};
  const bool known = is_terminal(stream) && ioctl(fileno(stream), TIOCGWINSZ, &size) == 0;
  return known && size.ws_col > 0 ? size.ws_col : std::numeric_limits<std::size_t>::max();
}

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
