// A metric along a setting.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "credence/figures.hpp"
#include "figure/lines.hpp"
#include "figure/svg.hpp"
#include "figure/text.hpp"

namespace credence::figure {
namespace {

constexpr double kCurvesTop = 16, kCurvesWidth = 440, kCurvesHeight = 300;

struct Range {
  double from = 0.0, to = 0.0;
  bool empty = true;
  void take(double value) {
    from = empty ? value : std::min(from, value);
    to = empty ? value : std::max(to, value);
    empty = false;
  }
};

std::string shown(double value, bool as_percent) {
  return as_percent ? percent(value, 2) : fmt::format("{:.4g}", value);
}

/// The settings themselves where they are few and stand well apart, round numbers otherwise.
std::vector<Tick> x_ticks(const std::vector<double>& settings, const Scale& x, bool log) {
  std::vector<Tick> ticks;
  for (const double setting : settings) ticks.push_back({setting, compact_count(setting)});
  bool apart = settings.size() <= 12;
  for (std::size_t i = 1; i < ticks.size(); ++i) {
    const double needed =
        (text_width(ticks[i - 1].label, 10) + text_width(ticks[i].label, 10)) / 2 + 6;
    apart = apart && x(ticks[i].value) - x(ticks[i - 1].value) >= needed;
  }
  if (apart) return ticks;
  return log ? log_ticks(x.from(), x.to())
             : round_ticks(x.from(), x.to(), x(x.to()) - x(x.from()) < 250 ? 3 : 6);
}

}  // namespace

std::string curves(const Curves& data, const Caption& caption, Frame frame) {
  Range xs, ys;
  std::vector<double> settings;
  std::vector<NamedLine> lines;
  for (const Curve& curve : data.curves) {
    NamedLine line{.name = curve.method, .points = {}};
    for (const CurvePoint& p : curve.points) {
      const double deviation = p.deviation.value_or(0.0);
      xs.take(p.x);
      ys.take(p.mean - deviation);
      ys.take(p.mean + deviation);
      settings.push_back(p.x);
      LinePoint point{p.x, p.mean, {}, {}, {}, {}};
      point.tooltip = fmt::format("{}: {} at {}", curve.method, shown(p.mean, data.percent),
                                  fmt::format("{:.6g}", p.x));
      if (p.deviation) {
        point.low = p.mean - deviation;
        point.high = p.mean + deviation;
        point.tooltip += fmt::format(", deviation {}", shown(deviation, data.percent));
      }
      point.data = attribute("data-x", p.x) + attribute("data-mean", p.mean);
      line.points.push_back(std::move(point));
    }
    std::stable_sort(line.points.begin(), line.points.end(),
                     [](const LinePoint& a, const LinePoint& b) { return a.x < b.x; });
    lines.push_back(std::move(line));
  }
  std::sort(settings.begin(), settings.end());
  settings.erase(std::unique(settings.begin(), settings.end()), settings.end());

  const bool log = data.log_x && !xs.empty && xs.from > 0 && xs.to > xs.from;
  if (ys.empty) ys.take(0), ys.take(1);
  // From zero where that costs little of the height; a margin around the lines otherwise.
  const bool from_zero = ys.from >= 0 && ys.from < 0.5 * ys.to;
  const double margin =
      ys.to > ys.from ? 0.06 * (ys.to - ys.from) : std::max(0.05 * std::abs(ys.to), 1e-3);
  const auto [low, high] =
      round_ends(from_zero ? 0 : ys.from - margin, ys.to + (from_zero ? 0 : margin), 5);
  const auto y_ticks = round_ticks(low, high, 5, data.percent);

  const LabelRoom room = label_room(lines, frame);
  const double left = 40 + widest(y_ticks, 10);
  const double beside = lines.empty() ? 16 : kLabelGap + room.width + 12;
  const Box box{left, kCurvesTop, plot_width(kCurvesWidth, left + beside, frame),
                std::max(kCurvesHeight, room.height)};
  const double inset = 12;
  const Scale x = log ? Scale::logarithmic(xs.from, xs.to, box.x + inset, box.right() - inset)
                      : Scale::linear(xs.from, xs.to, box.x + inset, box.right() - inset);
  const Scale y = Scale::linear(low, high, box.bottom(), box.y);

  Canvas canvas(caption, frame);
  y_axis(canvas, box, y, y_ticks,
         {.grid = true,
          .title = shortened(data.y_label + (data.percent ? " (%)" : ""), box.height, 11),
          .title_offset = left - 14});
  x_axis(canvas, box, x, x_ticks(settings, x, log),
         {.title = frame == Frame::phone
                       ? shortened(data.x_label, 2 * (box.x + box.width / 2) - 16, 11)
                       : shortened(data.x_label + (log ? " (log scale)" : ""), box.width, 11),
          .title_offset = 34});
  // A halo would cut the whiskers of other lines.
  draw_lines(canvas, box, x, y, lines, room, {.halo = false});
  double bottom = box.bottom() + 42;
  if (has_whiskers(lines)) {
    canvas.text({box.x, bottom + 12}, "whiskers: mean ± standard deviation",
                {.size = 10, .classes = "f-muted"});
    bottom += 20;
  }
  return canvas.finish(box.right() + beside, bottom);
}

}  // namespace credence::figure
