#include "io/calibrator/row_sketch_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string>

namespace credence::io {
namespace {

constexpr std::size_t kHashDigits = 12;  // of a hash

std::vector<std::uint64_t> hashes_from(const std::string& digits) {
  std::vector<std::uint64_t> hashes;
  if (digits.size() % kHashDigits != 0) return hashes;
  for (std::size_t at = 0; at < digits.size(); at += kHashDigits) {
    std::uint64_t hash = 0;
    const char* const first = digits.data() + at;
    const auto [end, error] = std::from_chars(first, first + kHashDigits, hash, 16);
    if (error != std::errc() || end != first + kHashDigits) return {};
    hashes.push_back(hash);
  }
  return hashes;
}

}  // namespace

Json sketch_to_json(const RowSketch& sketch) {
  std::string digits;
  for (const std::uint64_t hash : sketch.smallest) digits += fmt::format("{:012x}", hash);
  return {{"rows", sketch.rows}, {"distinct", sketch.distinct}, {"hashes", digits}};
}

RowSketch sketch_from_json(const Json& extra) {
  const auto found = extra.find(kSketchName);
  if (found == extra.end() || !found->is_object()) return {};
  const auto rows = found->find("rows"), distinct = found->find("distinct"),
             hashes = found->find("hashes");
  const bool known = rows != found->end() && rows->is_number_unsigned() &&
                     distinct != found->end() && distinct->is_number_unsigned() &&
                     hashes != found->end() && hashes->is_string();
  if (!known) return {};
  RowSketch sketch{.rows = rows->get<std::size_t>(),
                   .distinct = distinct->get<std::size_t>(),
                   .smallest = hashes_from(hashes->get_ref<const std::string&>())};
  const bool sorted = std::ranges::is_sorted(sketch.smallest, std::ranges::less_equal{});
  return sorted && sketch.smallest.size() <= RowSketch::kMostHashes ? sketch : RowSketch{};
}

}  // namespace credence::io
