#include "figure/cells.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "figure/palette.hpp"
#include "figure/text.hpp"

namespace credence::figure {
namespace {

constexpr double kTurn = 50.0;  // degrees: steep enough for narrow columns, still readable
constexpr double kLongest = 130.0;
constexpr double kSine = 0.766, kCosine = 0.643;  // of that angle

bool level(const std::vector<std::string>& names, double step, double size) {
  return std::all_of(names.begin(), names.end(),
                     [&](const std::string& name) { return text_width(name, size) <= step - 6; });
}

}  // namespace

std::size_t shade_level(double share) {
  if (!(share > 0)) return 0;
  const auto last = static_cast<double>(kShades - 1);
  return static_cast<std::size_t>(
      std::clamp(std::lround(last * std::min(share, 1.0)), 0L, static_cast<long>(kShades - 1)));
}

double column_names(Canvas* canvas, const std::vector<std::string>& names, double left, double top,
                    double step, double size) {
  const bool flat = level(names, step, size);
  double height = size + 6;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const double middle = left + step * (static_cast<double>(i) + 0.5);
    const double width = std::min(text_width(names[i], size), kLongest);
    if (!flat) height = std::max(height, kSine * width + size + 4);
    if (canvas == nullptr) continue;
    if (flat) {
      canvas->text({middle, top - 6}, names[i], {.size = size, .anchor = Anchor::middle});
    } else {
      canvas->text_within({middle + 3, top - 6}, names[i], kLongest,
                          {.size = size, .turned = -kTurn});
    }
  }
  return height;
}

double column_overhang(const std::vector<std::string>& names, double step, double size) {
  if (level(names, step, size)) return 0;
  double most = 0;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const double from_right = step * (static_cast<double>(names.size() - i) - 0.5) - 3;
    const double width = std::min(text_width(names[i], size), kLongest);
    most = std::max(most, kCosine * width + size - from_right);
  }
  return most;
}

double shade_key(Canvas& canvas, Point at, const std::string& low, const std::string& high) {
  canvas.text({at.x, at.y + 9}, low, {.size = 10, .classes = "f-muted"});
  const double from = at.x + text_width(low, 10) + 4;
  double x = from;
  for (std::size_t s = 0; s < kShades; ++s, x += 12) {
    canvas.rect({x, at.y, 12, 11}, fmt::format("f-cell f-s{}", s));
  }
  canvas.rect({from, at.y, x - from, 11}, "f-outline");
  canvas.text({x + 4, at.y + 9}, high, {.size = 10, .classes = "f-muted"});
  return x + 4 + text_width(high, 10) - at.x;
}

}  // namespace credence::figure
