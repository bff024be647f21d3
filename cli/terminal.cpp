#include "terminal.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>

#include "core/code_point.hpp"

namespace credence::cli {

bool is_terminal(std::FILE* stream) { return isatty(fileno(stream)) == 1; }

std::string printable(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const core::CodePoint point = core::code_point(text, at);
    const bool control = point.value < 0x20 || (point.value >= 0x7f && point.value < 0xa0);
    const bool line_end = point.value == 0x2028 || point.value == 0x2029;
    if (!point.valid) {
      for (const char byte : text.substr(at, point.bytes)) {
        out += fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
      }
    } else if (control) {
      out += fmt::format("\\x{:02x}", point.value);
    } else if (line_end || core::reorders(point.value)) {
      out += fmt::format("\\u{:04x}", point.value);
    } else {
      out += text.substr(at, point.bytes);
    }
    at += point.bytes;
  }
  return out;
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
