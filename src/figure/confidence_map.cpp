// What a calibrator does to confidence: before along the bottom, after along the side.
#include <fmt/format.h>

#include <algorithm>

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

}  // namespace

std::string confidence_map(const std::vector<ConfidenceMap>& maps, const Caption& caption,
                           Frame frame) {
  std::vector<NamedLine> lines;
  for (const ConfidenceMap& map : maps) {
    NamedLine line{map.method, {}};
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
  const LabelRoom room = label_room(lines);
  const Box box{kMapLeft, kMapTop, kMapSide, kMapSide};
  const Scale x = Scale::linear(0, 1, box.x, box.right()),
              y = Scale::linear(0, 1, box.bottom(), box.y);
  const auto ticks = round_ticks(0, 1, 5, true);

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
  draw_lines(canvas, box, x, y, lines, {.aside = false, .marker_every = 4});
  double bottom = box.bottom() + 42;
  if (bands && !maps.empty()) {
    canvas.text({box.x, bottom + 12}, "shaded: 10 to 90 % of the examples",
                {.size = 10, .classes = "f-muted"});
    bottom += 20;
  }
  return canvas.finish(box.right() + (lines.empty() ? 16 : kLabelGap + room.width + 12), bottom);
}

}  // namespace credence::figure
