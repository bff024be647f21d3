// Reliability diagrams: one, two side by side, and small multiples of many.
#include <algorithm>
#include <cmath>

#include "figure/reliability_panel.hpp"

namespace credence::figure {
namespace {

constexpr double kPanelMargin = 12.0;

/// As many columns as leave the fewest places empty; the wider of two that tie.
std::size_t columns_for(std::size_t count) {
  if (count <= 5) return std::max<std::size_t>(count, 1);
  std::size_t best = 5, empty = 5;
  for (const std::size_t columns : {5UL, 4UL, 3UL}) {
    const std::size_t left_over = (columns - count % columns) % columns;
    if (left_over < empty) best = columns, empty = left_over;
  }
  return best;
}

double most_examples(const std::vector<const Reliability*>& diagrams) {
  std::size_t most = 0;
  for (const Reliability* diagram : diagrams) {
    for (const DrawnBin& bin : diagram->bins) most = std::max(most, bin.count);
  }
  return static_cast<double>(most);
}

/// One row of full-size panels.
std::string row_of_panels(const std::vector<const Reliability*>& diagrams, double side,
                          const Caption& caption, Frame frame) {
  PanelLook look{.side = side};
  look.most = most_examples(diagrams);
  look.notes_above = !std::all_of(diagrams.begin(), diagrams.end(),
                                  [&](const Reliability* d) { return notes_fit(*d, look); });
  double heading = 0;
  for (const Reliability* d : diagrams) heading = std::max(heading, heading_height(*d, look));
  look.heading = heading;
  const bool log = counts_need_log(diagrams);
  const double top = kPanelMargin + heading;
  Canvas canvas(caption, frame);
  double x = kPanelLeft;
  for (std::size_t i = 0; i < diagrams.size(); ++i, x += side + kPanelLeft + 8) {
    if (diagrams.size() > 1) look.letter = static_cast<char>('a' + i);
    draw_panel(canvas, {x, top}, *diagrams[i], look, log);
  }
  const double right = x - kPanelLeft - 8;
  const double below = top + panel_height(look) + kPanelBelow + 12;
  const double keys =
      legend(&canvas, {kPanelLeft, below}, right - kPanelLeft, panel_legend(diagrams));
  return canvas.finish(right + 16, below + keys + 8);
}

}  // namespace

std::string reliability(const Reliability& diagram, const Caption& caption, Frame frame) {
  return row_of_panels({&diagram}, 340, caption, frame);
}

std::string reliability_pair(const Reliability& left, const Reliability& right,
                             const Caption& caption, Frame frame) {
  return row_of_panels({&left, &right}, 304, caption, frame);
}

std::string reliability_grid(const std::vector<Reliability>& diagrams, const Caption& caption,
                             Frame frame) {
  std::vector<const Reliability*> all;
  for (const Reliability& diagram : diagrams) all.push_back(&diagram);
  const bool log = counts_need_log(all);
  const std::size_t columns = columns_for(all.size());
  PanelLook look{.side = 136, .strip = 24, .size = 9};
  look.small = look.notes_above = true;
  look.most = most_examples(all);
  look.y_title = look.x_title = false;

  Canvas canvas(caption, frame);
  const double step = look.side + 20;
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
                 look, log);
    }
    y += heading + panel_height(look) + 20;
  }
  const double right =
      kPanelLeft +
      step * static_cast<double>(std::min(columns, std::max<std::size_t>(all.size(), 1))) - 20;
  y = std::max(y, kPanelMargin + 240);  // the title of the axis is as long as a row is high
  const bool vote = !diagrams.empty() && diagrams.front().truth == Truth::vote;
  const double middle = (kPanelMargin + y) / 2;
  canvas.text({16, middle},
              vote ? "share where the vote agrees (%)" : "share of annotators who agree (%)",
              {.anchor = Anchor::middle, .turned = -90});
  canvas.text({(kPanelLeft + right) / 2, y + 10}, "confidence (%)", {.anchor = Anchor::middle});
  auto entries = panel_legend(all);
  entries.push_back(
      {log ? "examples per bin (log scale)" : "examples per bin", [](Canvas& c, const Box& b) {
         c.rect({b.x + 2, b.y + 5, 5, 5}, "f-count");
         c.rect({b.x + 8, b.y + 2, 5, 8}, "f-count");
         c.rect({b.x + 14, b.y, 5, 10}, "f-count");
       }});
  const double keys = legend(&canvas, {kPanelLeft, y + 24}, right - kPanelLeft, entries);
  return canvas.finish(right + 16, y + 24 + keys + 8);
}

}  // namespace credence::figure
