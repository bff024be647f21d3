#include <fmt/format.h>

#include <filesystem>

#include "credence/error.hpp"
#include "credence/io.hpp"
#include "io/bytes/text_lines.hpp"
#include "io/votes/vote_names.hpp"

namespace credence::io {
namespace {

std::string trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(" \t\r") - first + 1));
}

void split(std::string_view text, std::vector<std::string>& names) {
  for (;;) {
    const std::size_t comma = text.find(',');
    names.push_back(trimmed(text.substr(0, comma)));
    if (comma == std::string_view::npos) return;
    text.remove_prefix(comma + 1);
  }
}

}  // namespace

std::vector<std::string> read_class_list(const std::string& text_or_path) {
  std::vector<std::string> names;
  std::error_code ignored;
  if (std::filesystem::exists(text_or_path, ignored)) {
    std::vector<std::string> lines;
    TextLines file(text_or_path);
    for (std::string_view line; file.next(line);) {
      if (!trimmed(line).empty()) lines.emplace_back(line);
    }
    // One line may hold them all; with several lines a comma is part of a name.
    if (lines.size() == 1) {
      split(lines[0], names);
    } else {
      for (const std::string& line : lines) names.push_back(trimmed(line));
    }
  } else {
    split(text_or_path, names);
    if (names.size() == 1) {
      throw Error(ErrorCode::usage,
                  fmt::format("'{}' is neither a file nor a list of class names", text_or_path),
                  "give names separated by commas, or a file with one name per line");
    }
  }
  if (names.size() < 2) {
    throw Error(ErrorCode::usage, fmt::format("{}: {} class names; at least two are needed",
                                              text_or_path, names.size()));
  }
  check_class_names(names, text_or_path);
  return names;
}

}  // namespace credence::io
