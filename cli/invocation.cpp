#include "invocation.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace credence::cli {
namespace {

std::vector<std::string>& words() {
  static std::vector<std::string> all;
  return all;
}

constexpr std::array<std::string_view, 5> kWithoutEffect{"-o", "--output", "--threads", "--format",
                                                         "--embed-examples"};
constexpr std::string_view kReport = "--report";  // its value may be left out

}  // namespace

void remember_invocation(int argc, char** argv) { words().assign(argv, argv + argc); }

std::vector<std::string> invocation() {
  std::vector<std::string> kept{"credence"};
  for (std::size_t i = 1; i < words().size(); ++i) {
    const std::string_view word = words()[i];
    const std::string_view name = word.substr(0, word.find('='));
    if (name == kReport) {
      const bool valued = i + 1 < words().size() && !words()[i + 1].starts_with('-');
      if (name.size() == word.size() && valued) ++i;
      continue;
    }
    if (std::ranges::find(kWithoutEffect, name) != kWithoutEffect.end()) {
      if (name.size() == word.size()) ++i;
      continue;
    }
    kept.emplace_back(word);
  }
  return kept;
}

}  // namespace credence::cli
