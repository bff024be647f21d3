#include "io/json/plain_object.hpp"

#include <fast_float/fast_float.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "io/text/short_decimal.hpp"

namespace credence::io {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Goes through the text; every member is false, or gives nothing, at the first surprise.
class PlainText {
 public:
  explicit PlainText(std::string_view text) : at_(text.data()), end_(text.data() + text.size()) {}

  /// Whether `c` comes next, blanks aside; it is then behind us.
  bool take(char c) {
    skip_blanks();
    if (at_ == end_ || *at_ != c) return false;
    ++at_;
    return true;
  }
  bool at_end() {
    skip_blanks();
    return at_ == end_;
  }
  bool string(std::string_view& out) {
    if (!take('"')) return false;
    const char* const first = at_;
    while (at_ != end_ && *at_ >= ' ' && *at_ <= '~' && *at_ != '"' && *at_ != '\\') ++at_;
    out = {first, static_cast<std::size_t>(at_ - first)};
    return take_here('"');
  }
  bool number(double& out) {
    skip_blanks();
    const char* const first = at_;
    if (const char* const stop = read_short_decimal(first, end_, out)) {
      at_ = stop;
      return out != 0.0 || *first != '-' || is_json_number(first, stop);
    }
    const auto found = fast_float::from_chars(first, end_, out);
    if (found.ec != std::errc() || !std::isfinite(out)) return false;
    at_ = found.ptr;
    return is_json_number(first, at_);
  }
  /// A whole number, as it is written.
  bool whole_number(std::string_view& out) {
    skip_blanks();
    const char* const first = at_;
    if (at_ != end_ && *at_ == '-') ++at_;
    while (at_ != end_ && is_digit(*at_)) ++at_;
    out = {first, static_cast<std::size_t>(at_ - first)};
    return is_json_number(first, at_);
  }
  bool next_is_string() {
    skip_blanks();
    return at_ != end_ && *at_ == '"';
  }
  bool numbers(std::span<double> out) {
    if (!take('[')) return false;
    for (std::size_t k = 0; k < out.size(); ++k) {
      if ((k > 0 && !take(',')) || !number(out[k])) return false;
    }
    return take(']');
  }

 private:
  void skip_blanks() {
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\t' || *at_ == '\r' || *at_ == '\n')) ++at_;
  }
  bool take_here(char c) { return at_ != end_ && *at_++ == c; }

  /// fast_float follows from_chars, which also takes 01, 1. and nan. A whole number of many digits
  /// is judged elsewhere, and so is -0, which is a whole number there and has no sign.
  static bool is_json_number(const char* first, const char* end) {
    constexpr std::ptrdiff_t kMostDigits = 18;
    const char* const digits = first + (first != end && *first == '-' ? 1 : 0);
    const char* at = digits;
    while (at != end && is_digit(*at)) ++at;
    if (at == digits || (*digits == '0' && at - digits > 1)) return false;
    if (at == end) return at - digits <= kMostDigits && (digits == first || *digits != '0');
    return *at != '.' || (at + 1 != end && is_digit(at[1]));
  }

  const char *at_, *end_;
};

}  // namespace

bool read_plain_object(std::string_view text, std::string_view numbers_field,
                       std::string_view id_field, std::span<double> numbers, std::string_view& id) {
  constexpr std::size_t kMostKeys = 8;
  std::array<std::string_view, kMostKeys> keys;
  std::size_t count = 0;
  bool has_numbers = false, has_id = id_field.empty();
  PlainText plain(text);
  if (!plain.take('{')) return false;
  do {
    std::string_view key, other;
    double value = 0.0;
    if (count == kMostKeys || !plain.string(key) || !plain.take(':')) return false;
    if (std::find(keys.begin(), keys.begin() + count, key) != keys.begin() + count) return false;
    keys[count++] = key;
    if (key == numbers_field) {
      has_numbers = plain.numbers(numbers);
      if (!has_numbers) return false;
    } else if (key == id_field) {
      has_id = plain.next_is_string() ? plain.string(id) : plain.whole_number(id);
      if (!has_id) return false;
    } else if (!(plain.next_is_string() ? plain.string(other) : plain.number(value))) {
      return false;
    }
  } while (plain.take(','));
  return plain.take('}') && plain.at_end() && has_numbers && has_id;
}

}  // namespace credence::io
