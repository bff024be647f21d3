// Reliability diagrams: one, two side by side, and small multiples of many.
#include <algorithm>
#include <cmath>

#include "figure/reliability_panel.hpp"

namespace credence::figure {
namespace {

constexpr double kPanelMargin = 12.0, kPanelRight = 16.0, kGridGap = 20.0;
constexpr double kPhoneSide = 286.0;  // with what stands around it, as wide as a phone shows

/// As many columns as leave the fewest places empty; the wider of two that tie.
std::size_t columns_for(std::size_t count, Frame frame) {
  if (frame == Frame::phone) return std::clamp<std::size_t>(count, 1, 2);
  if (count <= 5) return std::max<std::size_t>(count, 1);
  std::size_t best = 5, empty = 5;
  for (const std::size_t columns : {5UL, 4UL, 3UL}) {
    const std::size_t left_over = (columns - count % columns) % columns;
    if (left_over < empty) best = columns, empty = left_over;
  }
  return best;
}

/// Full-size panels side by side, or below each other on a phone.
std::string full_panels(const std::vector<const Reliability*>& diagrams, double side,
                        const Caption& caption, Frame frame) {
  const bool stacked = frame == Frame::phone;
  PanelLook look = shared_look({.side = stacked ? kPhoneSide : side}, diagrams);
  look.plain = stacked;
  Canvas canvas(caption, frame);
  double x = kPanelLeft, top = kPanelMargin + look.heading;
  for (std::size_t i = 0; i < diagrams.size(); ++i) {
    if (i > 0 && stacked) top += panel_height(look) + kPanelBelow + look.heading + 16;
    if (i > 0 && !stacked) x += look.side + kPanelLeft + 8;
    if (diagrams.size() > 1) look.letter = static_cast<char>('a' + i);
    draw_panel(canvas, {x, top}, *diagrams[i], look);
  }
  const double right = x + look.side, below = top + panel_height(look) + kPanelBelow + 12;
  const double from = stacked ? kPanelMargin : kPanelLeft;
  const double keys = legend(&canvas, {from, below}, right - from, panel_legend(diagrams));
  return canvas.finish(right + kPanelRight, below + keys + 8);
}

}  // namespace

std::string reliability(const Reliability& diagram, const Caption& caption, Frame frame) {
  return full_panels({&diagram}, 340, caption, frame);
}

std::string reliability_pair(const Reliability& left, const Reliability& right,
                             const Caption& caption, Frame frame) {
  return full_panels({&left, &right}, 304, caption, frame);
}

std::string reliability_grid(const std::vector<Reliability>& diagrams, const Caption& caption,
                             Frame frame) {
  std::vector<const Reliability*> all;
  for (const Reliability& diagram : diagrams) all.push_back(&diagram);
  const std::size_t columns = columns_for(all.size(), frame);
  PanelLook look{.side = frame == Frame::phone ? 132.0 : 136.0, .strip = 24, .size = 9};
  look.small = look.plain = true;
  look.most = shared_look(look, all).most;
  look.y_title = look.x_title = false;

  Canvas canvas(caption, frame);
  const double step = look.side + kGridGap;
  double y = kPanelMargin;
  for (std::size_t from = 0; from < all.size(); from += columns) {
    const std::size_t end = std::min(from + columns, all.size());
    double heading = 0;
    for (std::size_t i = from; i < end; ++i) {
      heading = std::max(heading, heading_height(*all[i], look) + 4);
    }
    look.heading = heading;
    for (std::size_t i = from; i < end; ++i) {
      look.y_labels = i == from;
      // Confidence is written below the last panel of every column.
      look.x_labels = i + columns >= all.size();
      draw_panel(canvas, {kPanelLeft + step * static_cast<double>(i - from), y + heading}, *all[i],
                 look);
    }
    y += heading + panel_height(look) + 20;
  }
  const double right =
      kPanelLeft +
      step * static_cast<double>(std::min(columns, std::max<std::size_t>(all.size(), 1))) -
      kGridGap;
  y = std::max(y, kPanelMargin + 240);  // the title of the axis is as long as a row is high
  const Truth truth = diagrams.empty() ? Truth::annotators : diagrams.front().truth;
  canvas.text({16, (kPanelMargin + y) / 2}, agreement_title(truth),
              {.anchor = Anchor::middle, .turned = -90});
  canvas.text({(kPanelLeft + right) / 2, y + 10}, "confidence (%)", {.anchor = Anchor::middle});
  const double keys = legend(&canvas, {kPanelLeft, y + 24}, right - kPanelLeft, panel_legend(all));
  return canvas.finish(right + kPanelRight, y + 24 + keys + 8);
}

}  // namespace credence::figure
