#include "figure/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace credence::figure {
namespace {

// Thousandths of the font size for ' ' to '~', the wider of Helvetica's and DejaVu Sans' advance
// widths: a figure that leaves room for both leaves room for what lies between.
constexpr std::array<int, 95> kAdvance{
    318, 401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361,  318, 337, 636, 636, 636,
    636, 636, 636, 636, 636, 636, 636, 337, 337, 838, 838, 838, 556, 1015, 684, 686, 722, 770, 667,
    611, 778, 752, 295, 500, 667, 557, 863, 748, 787, 667, 787, 722, 667,  611, 732, 684, 989, 685,
    667, 685, 390, 337, 390, 838, 556, 500, 613, 635, 550, 635, 615, 352,  635, 634, 278, 278, 579,
    278, 974, 634, 612, 635, 635, 411, 521, 392, 634, 592, 818, 592, 592,  525, 636, 337, 636, 838};

bool joins_previous(std::uint32_t v) {
  return (v >= 0x300 && v <= 0x36F) || v == 0x200D || (v >= 0xFE00 && v <= 0xFE0F) ||
         (v >= 0x1F3FB && v <= 0x1F3FF) || (v >= 0x20D0 && v <= 0x20FF);
}

double advance(const CodePoint& point) {
  const std::uint32_t v = point.value;
  if (!point.valid) return 1000;
  if (v >= ' ' && v <= '~') return kAdvance[v - ' '];
  if (v < ' ') return 318;
  if (reorders(v) || joins_previous(v)) return 0;
  if (v >= 0x1F000) return 1400;                // emoji
  if (v >= 0x2E80 && v <= 0xFFDC) return 1050;  // East Asian
  if (v >= 0x2000 && v <= 0x206F) return 1000;  // dashes, ellipsis
  return 838;
}

}  // namespace

double text_width(std::string_view text, double size, bool bold) {
  double sum = 0;
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = code_point(text, at);
    sum += advance(point);
    at += point.bytes;
  }
  return sum * size / 1000 * (bold ? 1.16 : 1.0);
}

std::string shortened(std::string_view text, double width, double size, bool bold) {
  if (text_width(text, size, bold) <= width) return std::string(text);
  constexpr std::string_view kEllipsis = "…";
  const double scale = size / 1000 * (bold ? 1.16 : 1.0);
  double room = width / scale - 1000;
  std::size_t end = 0;
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = code_point(text, at);
    room -= advance(point);
    if (room < 0) break;
    at += point.bytes;
    // A letter and the marks that belong to it stay together.
    if (at >= text.size() || !joins_previous(code_point(text, at).value)) end = at;
  }
  while (end > 0 && text[end - 1] == ' ') --end;
  return std::string(text.substr(0, end)) + std::string(kEllipsis);
}

std::vector<std::string> wrapped(std::string_view text, double width, double size) {
  std::vector<std::string> lines;
  std::string line;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string word(text.substr(at, end - at));
    at = end + 1;
    if (word.empty()) continue;
    const std::string longer = line.empty() ? word : line + " " + word;
    if (line.empty() || text_width(longer, size) <= width) {
      line = longer;
    } else {
      lines.push_back(line);
      line = word;
    }
  }
  if (!line.empty()) lines.push_back(line);
  for (std::string& each : lines) each = shortened(each, width, size);
  return lines;
}

std::string compact_count(double value) {
  for (const auto& [unit, letter] : {std::pair{1e9, "G"}, {1e6, "M"}, {1e3, "k"}}) {
    if (std::abs(value) >= unit) return fmt::format("{:.4g}{}", value / unit, letter);
  }
  return fmt::format("{:.4g}", value);
}

std::string percent(double share, int decimals) {
  const std::string text = fmt::format("{:.{}f}", 100 * share, decimals);
  // A share that rounds to nothing has no sign.
  const bool zero = text.find_first_of("123456789") == std::string::npos;
  return (zero && text[0] == '-' ? text.substr(1) : text) + " %";
}

}  // namespace credence::figure
