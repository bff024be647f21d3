#include "text/page_words.hpp"

#include <fmt/format.h>

#include "text/output.hpp"
#include "text/terminal.hpp"

namespace credence::cli {

std::string page_in_words(const std::string& path, const report::Page& page) {
  std::string text =
      fmt::format("{} ({} KB", printable(path), grouped((page.html.size() + 999) / 1000));
  if (page.embedded_examples > 0) {
    text +=
        fmt::format("; {} of {} examples embedded: {} KB", grouped(page.embedded_examples),
                    grouped(page.available_examples), grouped((page.embedded_bytes + 999) / 1000));
  }
  return text + ")";
}

}  // namespace credence::cli
