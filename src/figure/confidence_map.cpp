// What a calibrator does to confidence: before along the bottom, after along the side.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "figure/lines.hpp"
#include "figure/svg.hpp"
#include "figure/text.hpp"

namespace credence::figure {
namespace {

constexpr double kMapLeft = 56, kMapTop = 16, kMapSide = 340;
constexpr std::size_t kMostBands = 2;  // more of them on top of each other say nothing

std::string described(const std::string& method, const MapPoint& p) {
  return fmt::format("{}: {} becomes {} (10 to 90 % of examples: {:.1f} to {:.1f})", method,
                     percent(p.before), percent(p.after), 100 * p.low, 100 * p.high);
}

/// Both axes begin at the tenth below the lowest confidence: half an empty square says nothing.
double least_of(const std::vector<ConfidenceMap>& maps) {
  double least = 0.9;
  for (const ConfidenceMap& map : maps) {
    for (const MapPoint& p : map.points)
      least = std::min({least, p.before, p.after, p.low, p.high});
  }
  return std::max(0.0, std::floor(least * 10 + 1e-9) / 10);
}

}  // namespace

std::string confidence_map(const std::vector<ConfidenceMap>& maps, const Caption& caption,
                           Frame frame) {
  std::vector<NamedLine> lines;
  for (const ConfidenceMap& map : maps) {
    NamedLine line{.name = map.method, .points = {}};
    for (const MapPoint& p : map.points) {
      line.points.push_back(
          {p.before,
           p.after,
           {},
           {},
           described(map.method, p),
           attribute("data-before", p.before) + attribute("data-after", p.after)});
    }
    lines.push_back(std::move(line));
  }
  const LabelRoom room = label_room(lines, frame);
  const double beside = lines.empty() ? 16 : kLabelGap + room.width + 12;
  const double side = plot_width(kMapSide, kMapLeft + beside, frame);
  const Box box{kMapLeft, kMapTop, side, side};
  const double from = least_of(maps);
  const Scale x = Scale::linear(from, 1, box.x, box.right()),
              y = Scale::linear(from, 1, box.bottom(), box.y);
  const auto ticks = round_ticks(from, 1, frame == Frame::phone ? 3 : 5, true);

  Canvas canvas(caption, frame);
  y_axis(canvas, box, y, ticks,
         {.grid = true, .title = "confidence after (%)", .title_offset = 38});
  x_axis(canvas, box, x, ticks, {.title = "confidence before (%)", .title_offset = 34});
  canvas.line({box.x, box.bottom()}, {box.right(), box.y}, "f-diagonal");
  const bool bands = maps.size() <= kMostBands;
  for (std::size_t m = 0; bands && m < maps.size(); ++m) {
    std::vector<Point> upper, lower;
    for (const MapPoint& p : maps[m].points) {
      upper.push_back({x(p.before), y(p.high)});
      lower.push_back({x(p.before), y(p.low)});
    }
    canvas.area(upper, lower, fmt::format("f-band f-a{}", series(m).colour));
  }
  draw_lines(canvas, box, x, y, lines, room, {.aside = false, .halo = false, .marker_apart = 48});
  double bottom = box.bottom() + 42;
  if (bands && !maps.empty()) {
    canvas.text({box.x, bottom + 12}, "shaded: 10 to 90 % of the examples",
                {.size = 10, .classes = "f-muted"});
    bottom += 20;
  }
  // Many names may need more height than a narrow square has.
  return canvas.finish(box.right() + beside, std::max(bottom, box.y + room.height + 12));
}

}  // namespace credence::figure
