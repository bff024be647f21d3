// Pointwise error along the disagreement of annotators.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "credence/text.hpp"
#include "figure/lines.hpp"
#include "figure/svg.hpp"
#include "figure/text.hpp"

namespace credence::figure {
namespace {

constexpr double kEntropyLeft = 60, kEntropyTop = 16, kEntropyWidth = 460, kEntropyHeight = 320,
                 kEntropyMargin = 12;

NamedLine line_of(const EntropyCurve& curve, bool reference) {
  NamedLine line{curve.method, {}, reference};
  for (const EntropyPoint& p : curve.points) {
    const std::string interval =
        p.low && p.high ? fmt::format(" [{:.1f}, {:.1f}]", 100 * *p.low, 100 * *p.high) : "";
    line.points.push_back({p.entropy, p.error, p.low, p.high,
                           fmt::format("{}: entropy {:.2f}, error {:.1f} points{}, {} example{}",
                                       curve.method, p.entropy, 100 * p.error, interval,
                                       grouped_digits(p.count), p.count == 1 ? "" : "s"),
                           attribute("data-entropy", p.entropy) + attribute("data-error", p.error) +
                               attribute("data-count", p.count)});
  }
  return line;
}

}  // namespace

std::string error_by_entropy(const std::vector<EntropyCurve>& curves,
                             const std::optional<EntropyCurve>& perfect, const Caption& caption,
                             Frame frame) {
  std::vector<NamedLine> lines;
  for (const EntropyCurve& curve : curves) lines.push_back(line_of(curve, false));
  // Last in the list, so drawn below the others.
  if (perfect) lines.push_back(line_of(*perfect, true));
  double reach = 0.1, most = 0.05;
  for (const NamedLine& line : lines) {
    for (const LinePoint& p : line.points) {
      reach = std::max(reach, p.x);
      most = std::max({most, p.y, p.high.value_or(0.0)});
    }
  }
  most = std::min(1.0, round_ends(0, most, 5).to);
  const LabelRoom room = label_room(lines, frame);
  const double beside = lines.empty() ? 4 : kLabelGap + room.width;
  const Box box{kEntropyLeft, kEntropyTop,
                plot_width(kEntropyWidth, kEntropyLeft + beside + kEntropyMargin, frame),
                std::max(frame == Frame::phone ? 260.0 : kEntropyHeight, room.height)};
  // The axis ends where the lines end, so that names stand close to them. Unanimous examples lie
  // at 0, where half a marker needs room.
  const Scale x = Scale::linear(0, reach, box.x + 8, box.right() - 6);
  const Scale y = Scale::linear(0, most, box.bottom(), box.y);

  Canvas canvas(caption, frame);
  y_axis(canvas, box, y, round_ticks(0, most, 5, true),
         {.grid = true, .title = "mean |confidence − agreement| (points)", .title_offset = 40});
  x_axis(canvas, box, x, round_ticks(0, reach, frame == Frame::phone ? 3 : 7),
         {.title = frame == Frame::phone ? "disagreement of annotators"
                                         : "disagreement of annotators (entropy / its maximum)",
          .title_offset = 34});
  draw_lines(canvas, box, x, y, lines, room, {.aside = false});
  double bottom = box.bottom() + 46;
  if (has_whiskers(lines)) {
    canvas.text({box.x, bottom + 9}, "whiskers: 95 % interval of the mean",
                {.size = 10, .classes = "f-muted"});
    bottom += 17;
  }
  return canvas.finish(box.right() + beside + kEntropyMargin, bottom + 2);
}

}  // namespace credence::figure
