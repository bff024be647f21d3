#include "credence/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "core/code_point.hpp"

namespace credence {
namespace {

/// Edits (insert, delete, replace, swap neighbours) that turn one word into the other.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), now(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    now[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      now[j] = std::min({last[j] + 1, now[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        now[j] = std::min(now[j], before[j - 2] + 1);
      }
    }
    std::swap(before, last);
    std::swap(last, now);
  }
  return last[b.size()];
}

}  // namespace

std::string grouped_digits(std::size_t value) {
  std::string digits = std::to_string(value);
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, ",");
  return digits;
}

std::string csv_quoted(std::string_view cell) {
  if (cell.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(cell);
  std::string out = "\"";
  for (const char c : cell) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + "\"";
}

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

std::string did_you_mean(std::string_view word, const std::vector<std::string_view>& known) {
  std::string_view best;
  std::size_t best_distance = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (const std::string_view name : known) {
    const std::size_t distance = edit_distance(word, name);
    if (distance < best_distance) {
      best = name;
      best_distance = distance;
    }
  }
  return best.empty() ? std::string() : fmt::format("; did you mean '{}'?", best);
}

}  // namespace credence
