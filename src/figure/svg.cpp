#include "figure/svg.hpp"

#include <fmt/format.h>

#include "figure/text.hpp"

namespace credence::figure {

std::string escaped(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = code_point(text, at);
    const auto bytes = text.substr(at, point.bytes);
    at += point.bytes;
    if (!point.valid) {
      out += "\xEF\xBF\xBD";
    } else if (point.value == '&') {
      out += "&amp;";
    } else if (point.value == '<') {
      out += "&lt;";
    } else if (point.value == '>') {
      out += "&gt;";
    } else if (point.value == '"') {
      out += "&quot;";
    } else if (point.value == '\'') {
      out += "&#39;";
    } else if (point.value < 0x20 || (point.value >= 0x7F && point.value < 0xA0)) {
      out += ' ';
    } else if (!reorders(point.value)) {
      out += bytes;
    }
  }
  return out;
}

std::string number(double value, int decimals) {
  std::string text = fmt::format("{:.{}f}", value, decimals);
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

std::string attribute(std::string_view name, std::string_view value) {
  return fmt::format(" {}=\"{}\"", name, escaped(value));
}
std::string attribute(std::string_view name, double value) {
  return fmt::format(" {}=\"{}\"", name, value == 0 ? 0.0 : value);  // never "-0"
}
std::string attribute(std::string_view name, std::size_t value) {
  return fmt::format(" {}=\"{}\"", name, value);
}

}  // namespace credence::figure
