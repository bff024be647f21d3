#include "options/seed_list.hpp"

#include <fmt/format.h>

#include <charconv>
#include <set>
#include <string_view>

#include "credence/error.hpp"

namespace credence::cli {
namespace {

constexpr std::uint64_t kMostSeeds = 10000;

[[noreturn]] void refuse(std::string_view text) {
  throw Error(ErrorCode::usage, fmt::format("'{}' is not a list of seeds", text),
              "write 42, or 42..46, or 1,2,3 (at most 10,000 different ones)");
}

std::uint64_t one(std::string_view word, std::string_view text) {
  std::uint64_t value = 0;
  const char* end = word.data() + word.size();
  const auto [stop, failure] = std::from_chars(word.data(), end, value);
  if (failure != std::errc{} || stop != end) refuse(text);
  return value;
}

}  // namespace

std::vector<std::uint64_t> read_seeds(const std::string& text) {
  std::vector<std::uint64_t> seeds;
  std::string_view rest = text;
  while (true) {
    const std::size_t comma = rest.find(',');
    const std::string_view word = rest.substr(0, comma);
    const std::size_t dots = word.find("..");
    const std::uint64_t first = one(word.substr(0, dots), text);
    const std::uint64_t last =
        dots == std::string_view::npos ? first : one(word.substr(dots + 2), text);
    if (last < first || last - first >= kMostSeeds) refuse(text);
    for (std::uint64_t seed = first;; ++seed) {
      seeds.push_back(seed);
      if (seed == last) break;
    }
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 1);
  }
  if (seeds.size() > kMostSeeds || std::set(seeds.begin(), seeds.end()).size() != seeds.size()) {
    refuse(text);
  }
  return seeds;
}

}  // namespace credence::cli
