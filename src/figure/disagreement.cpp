// How often two annotators disagree, observed against predicted.
#include <fmt/format.h>

#include <algorithm>

#include "credence/text.hpp"
#include "figure/lines.hpp"
#include "figure/svg.hpp"
#include "figure/text.hpp"

namespace credence::figure {
namespace {

constexpr double kPairsLeft = 60, kPairsTop = 16, kPairsWidth = 460, kPairsHeight = 320,
                 kPairsMargin = 12;

NamedLine pairs_line(const EntropyCurve& curve) {
  NamedLine line{curve.method, {}, false};
  for (const EntropyPoint& p : curve.points) {
    line.points.push_back(
        {p.entropy, p.error, p.low, p.high,
         fmt::format("{}: {:.1f} % of pairs predicted to disagree, {:.1f} % do, {} example{}",
                     curve.method, 100 * p.entropy, 100 * p.error, grouped_digits(p.count),
                     p.count == 1 ? "" : "s"),
         attribute("data-predicted", p.entropy) + attribute("data-observed", p.error) +
             attribute("data-count", p.count)});
  }
  return line;
}

}  // namespace

std::string disagreement(const std::vector<EntropyCurve>& curves, const Caption& caption,
                         Frame frame) {
  std::vector<NamedLine> lines;
  for (const EntropyCurve& curve : curves) lines.push_back(pairs_line(curve));
  double most = 0.05;
  for (const NamedLine& line : lines) {
    for (const LinePoint& p : line.points) most = std::max({most, p.x, p.y, p.high.value_or(0.0)});
  }
  most = std::min(1.0, round_ends(0, most, 5).to);
  // Where prediction and observation are equal; last in the list, so drawn below the others.
  NamedLine equal{"as predicted", {}, true};
  for (const double end : {0.0, most}) equal.points.push_back({end, end, {}, {}, "", ""});
  lines.push_back(std::move(equal));
  const LabelRoom room = label_room(lines, frame);
  const double beside = kLabelGap + room.width;
  const Box box{kPairsLeft, kPairsTop,
                plot_width(kPairsWidth, kPairsLeft + beside + kPairsMargin, frame),
                std::max(frame == Frame::phone ? 260.0 : kPairsHeight, room.height)};
  const Scale x = Scale::linear(0, most, box.x + 8, box.right() - 6);
  const Scale y = Scale::linear(0, most, box.bottom(), box.y);

  Canvas canvas(caption, frame);
  y_axis(canvas, box, y, round_ticks(0, most, 5, true),
         {.grid = true, .title = "pairs of annotators that disagree (%)", .title_offset = 40});
  x_axis(canvas, box, x, round_ticks(0, most, frame == Frame::phone ? 3 : 7, true),
         {.title = "predicted (%)", .title_offset = 34});
  draw_lines(canvas, box, x, y, lines, room, {.aside = false});
  double bottom = box.bottom() + 46;
  if (has_whiskers(lines)) {
    canvas.text({box.x, bottom + 9}, "whiskers: 95 % interval of the mean",
                {.size = 10, .classes = "f-muted"});
    bottom += 17;
  }
  return canvas.finish(box.right() + beside + kPairsMargin, bottom + 2);
}

}  // namespace credence::figure
