// The motivating toy: its points, and what calibration to the majority label and to all
// annotators makes.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "figure/palette.hpp"
#include "figure/reliability_panel.hpp"
#include "figure/svg.hpp"
#include "figure/text.hpp"

namespace credence::figure {
namespace {

constexpr double kToySide = 260, kToyApart = 64, kToyMargin = 12, kRadius = 2.2;
constexpr std::size_t kMostPoints = 1500;  // beyond that they only blacken the panel

/// A disc, square or triangle per cluster, hollow where annotators disagree.
void draw_points(Canvas& canvas, const Box& box, const ToyPanels& toy) {
  if (toy.points.empty()) return;
  double left = toy.points[0].x, right = left, low = toy.points[0].y, high = low;
  for (const ToyPoint& p : toy.points) {
    left = std::min(left, p.x), right = std::max(right, p.x);
    low = std::min(low, p.y), high = std::max(high, p.y);
  }
  // One scale for both directions: the clusters keep their shape.
  const double reach = std::max({right - left, high - low, 1e-9}) * 1.06;
  const double x0 = (left + right - reach) / 2, y0 = (low + high - reach) / 2;
  const Scale x = Scale::linear(x0, x0 + reach, box.x + 4, box.right() - 4);
  const Scale y = Scale::linear(y0, y0 + reach, box.bottom() - 4, box.y + 4);
  const std::size_t stride = (toy.points.size() + kMostPoints - 1) / kMostPoints;
  for (std::size_t i = 0; i < toy.points.size(); i += stride) {
    const ToyPoint& p = toy.points[i];
    const std::size_t shape = p.cluster % 5;
    canvas.marker({x(p.x), y(p.y)}, shape, kRadius,
                  fmt::format("f-{}{} f-dot", p.ambiguous ? 'o' : 'p', p.cluster % kSeries + 1));
  }
}

std::vector<LegendEntry> cluster_entries(const ToyPanels& toy) {
  std::vector<LegendEntry> entries;
  for (std::size_t k = 0; k < toy.clusters.size(); ++k) {
    entries.push_back(
        {toy.clusters[k], [k](Canvas& c, const Box& b) {
           c.marker({b.x + 12, b.y + 5}, k % 5, 3.5, fmt::format("f-p{}", k % kSeries + 1));
         }});
  }
  if (std::any_of(toy.points.begin(), toy.points.end(),
                  [](const ToyPoint& p) { return p.ambiguous; })) {
    entries.push_back({"hollow: annotators disagree", [](Canvas& c, const Box& b) {
                         c.marker({b.x + 12, b.y + 5}, 0, 3.5, "f-o4", " stroke-width=\"1.25\"");
                       }});
  }
  return entries;
}

}  // namespace

std::string toy_panels(const ToyPanels& toy, const Caption& caption, Frame frame) {
  const std::vector<const Reliability*> diagrams{&toy.by_vote, &toy.by_annotators};
  const bool stacked = frame == Frame::phone;
  PanelLook look = shared_look({.side = kToySide, .strip = 40}, diagrams);
  look.plain = stacked;
  const double top = kToyMargin + look.heading;
  const Box scatter{stacked ? kPanelLeft : 20, top, kToySide, kToySide};

  Canvas canvas(caption, frame);
  canvas.text({scatter.x, kToyMargin + 13}, "a", {.size = 13, .classes = "f-ink f-b"});
  canvas.text({scatter.x + 16, kToyMargin + 13}, "the data", {.size = 13, .classes = "f-ink f-b"});
  canvas.rect(scatter, "f-outline");
  draw_points(canvas, scatter, toy);
  const double clusters =
      legend(&canvas, {scatter.x, scatter.bottom() + 10}, scatter.width, cluster_entries(toy));
  const double below_points = scatter.bottom() + 10 + clusters;
  Point corner{scatter.x, top};
  for (std::size_t i = 0; i < diagrams.size(); ++i) {
    if (stacked) {
      const double above = i == 0 ? below_points : corner.y + panel_height(look) + kPanelBelow;
      corner.y = above + 16 + look.heading;
    } else {
      corner.x += kToySide + kToyApart;
    }
    look.letter = static_cast<char>('b' + i);
    draw_panel(canvas, corner, *diagrams[i], look);
  }
  const double right = corner.x + kToySide;
  const double below = corner.y + panel_height(look) + kPanelBelow + 12;
  const double from = stacked ? kToyMargin : scatter.right() + kToyApart;
  const double keys = legend(&canvas, {from, below}, right - from, panel_legend(diagrams));
  return canvas.finish(right + 16, std::max(below + keys, below_points) + 8);
}

}  // namespace credence::figure
