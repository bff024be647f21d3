#include "figure/lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "figure/svg.hpp"
#include "figure/text.hpp"

namespace credence::figure {
namespace {

constexpr double kNameSize = 11.0, kNameStep = 15.0, kLongestLineName = 150.0,
                 kLongestPhoneName = 84.0;

/// Whiskers of different lines at the same place would cover each other: each steps aside a little.
double step_aside(std::size_t index, std::size_t lines) {
  if (lines < 2 || lines > 8) return 0;
  return 2.0 * (static_cast<double>(index) - static_cast<double>(lines - 1) / 2);
}

std::string dash_of(const Series& look) {
  return look.dash.empty() ? std::string() : attribute("stroke-dasharray", look.dash);
}

}  // namespace

bool has_whiskers(const std::vector<NamedLine>& lines) {
  return std::any_of(lines.begin(), lines.end(), [](const NamedLine& line) {
    return std::any_of(line.points.begin(), line.points.end(),
                       [](const LinePoint& p) { return p.low && p.high; });
  });
}

LabelRoom label_room(const std::vector<NamedLine>& lines, Frame frame) {
  double width = 0;
  for (const NamedLine& line : lines) width = std::max(width, text_width(line.name, kNameSize));
  const double most = frame == Frame::phone ? kLongestPhoneName : kLongestLineName;
  return {std::min(width, most), kNameStep * static_cast<double>(lines.size())};
}

double plot_width(double wide, double around, Frame frame) {
  return frame == Frame::phone ? std::max(kPhoneWidth - around, 120.0) : wide;
}

void draw_lines(Canvas& canvas, const Box& box, const Scale& x, const Scale& y,
                const std::vector<NamedLine>& lines, const LabelRoom& room, const LineLook& style) {
  const bool pointed_at = canvas.has_pointer();
  std::vector<EndLabel> labels;
  for (std::size_t i = lines.size(); i-- > 0;) {
    const NamedLine& line = lines[i];
    if (line.points.empty()) continue;
    const Series look = series(i);
    const double aside = style.aside ? step_aside(i, lines.size()) : 0;
    const auto place = [&](const LinePoint& p, double value) {
      return Point{std::clamp(x(p.x) + aside, box.x, box.right()), y(value)};
    };
    std::vector<Point> path;
    for (const LinePoint& p : line.points) path.push_back(place(p, p.y));
    canvas.group("series", attribute("data-method", line.name));
    if (style.halo) canvas.polyline(path, "f-halo");
    for (const LinePoint& p : line.points) {
      if (!p.low || !p.high) continue;
      canvas.line(place(p, *p.low), place(p, *p.high), fmt::format("f-whisker f-k{}", look.colour));
    }
    if (line.reference) {
      canvas.polyline(path, "f-diagonal");
    } else {
      canvas.polyline(path, fmt::format("f-line f-k{}", look.colour), dash_of(look));
    }
    Point last = {-1e9, 0};
    for (std::size_t k = 0; k < path.size(); ++k) {
      if (pointed_at) canvas.group("point", line.points[k].data);
      canvas.tooltip(line.points[k].tooltip);
      const bool apart = std::hypot(path[k].x - last.x, path[k].y - last.y) >= style.marker_apart;
      if (apart && !line.reference) {
        canvas.marker(path[k], look.marker, 3.25,
                      fmt::format("f-{}{}", look.hollow ? 'o' : 'p', look.colour),
                      " stroke-width=\"1.25\"");
        last = path[k];
      } else if (pointed_at) {
        canvas.marker(path[k], 0, 4, "f-hit");
      }
      if (pointed_at) canvas.end_group();
    }
    canvas.end_group();
    labels.push_back({line.name, path.back(), look, line.reference});
  }
  spread(labels, box.y + 6, box.bottom() - 6, kNameStep);
  end_labels(canvas, labels, box.right() + kLabelGap, room.width, kNameSize);
}

}  // namespace credence::figure
