#include "figure/axes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "figure/svg.hpp"
#include "figure/text.hpp"

namespace credence::figure {

void x_axis(Canvas& canvas, const Box& box, const Scale& scale, const std::vector<Tick>& ticks,
            const AxisLook& look) {
  const std::string top = number(box.y), bottom = number(box.bottom());
  const std::string below = number(box.bottom() + 4);
  std::string grid, axis = fmt::format("M{} {}H{}", number(box.x), bottom, number(box.right()));
  for (const Tick& tick : ticks) {
    const std::string x = number(scale(tick.value));
    grid += fmt::format("M{} {}V{}", x, top, bottom);
    axis += fmt::format("M{} {}V{}", x, bottom, below);
  }
  if (look.grid) canvas.path(grid, "f-grid");
  canvas.path(axis, "f-axis");
  for (const Tick& tick : ticks) {
    if (!look.labels) break;
    canvas.text({scale(tick.value), box.bottom() + 6 + look.size}, tick.label,
                {.size = look.size, .anchor = Anchor::middle, .classes = "f-muted"});
  }
  if (!look.title.empty()) {
    canvas.text({box.x + box.width / 2, box.bottom() + look.title_offset}, look.title,
                {.size = look.size + 1, .anchor = Anchor::middle});
  }
}

void y_axis(Canvas& canvas, const Box& box, const Scale& scale, const std::vector<Tick>& ticks,
            const AxisLook& look) {
  const std::string left = number(box.x), right = number(box.right());
  const std::string beside = number(box.x - 4);
  std::string grid, axis = fmt::format("M{} {}V{}", left, number(box.y), number(box.bottom()));
  for (const Tick& tick : ticks) {
    const std::string y = number(scale(tick.value));
    grid += fmt::format("M{} {}H{}", left, y, right);
    axis += fmt::format("M{} {}H{}", beside, y, left);
  }
  if (look.grid) canvas.path(grid, "f-grid");
  canvas.path(axis, "f-axis");
  for (const Tick& tick : ticks) {
    if (!look.labels) break;
    canvas.text({box.x - 7, scale(tick.value) + 0.35 * look.size}, tick.label,
                {.size = look.size, .anchor = Anchor::end, .classes = "f-muted"});
  }
  if (!look.title.empty()) {
    canvas.text({box.x - look.title_offset, box.y + box.height / 2}, look.title,
                {.size = look.size + 1, .anchor = Anchor::middle, .turned = -90});
  }
}

double widest(const std::vector<Tick>& ticks, double size) {
  double width = 0;
  for (const Tick& tick : ticks) width = std::max(width, text_width(tick.label, size));
  return width;
}

double legend(Canvas* canvas, Point at, double width, const std::vector<LegendEntry>& entries) {
  constexpr double kSize = 10, kSign = 20, kRow = 16;
  double x = at.x, y = at.y;
  if (canvas != nullptr) canvas->group("f-legend");
  for (const LegendEntry& entry : entries) {
    const double needed = kSign + 6 + text_width(entry.text, kSize);
    if (x > at.x && x + needed > at.x + width) x = at.x, y += kRow;
    if (canvas != nullptr) {
      canvas->group(entry.classes);
      entry.sign(*canvas, {x, y + 3, kSign, 10});
      canvas->text_within({x + kSign + 6, y + 11.5}, entry.text, at.x + width - x - kSign - 6,
                          {.size = kSize, .classes = "f-muted"});
      canvas->end_group();
    }
    x += needed + 16;
  }
  if (canvas != nullptr) canvas->end_group();
  return entries.empty() ? 0 : y + kRow - at.y;
}

void spread(std::vector<EndLabel>& labels, double top, double bottom, double distance) {
  std::stable_sort(labels.begin(), labels.end(),
                   [](const EndLabel& a, const EndLabel& b) { return a.end.y < b.end.y; });
  // Neighbours that would touch become one block centred on the mean of its ends; blocks that then
  // touch are joined in turn (pool adjacent violators, as in isotonic regression).
  struct Block {
    double sum;
    std::size_t count;
  };
  std::vector<Block> blocks;
  const auto first = [&](const Block& b) {
    const double centre = b.sum / static_cast<double>(b.count);
    const double half = distance * static_cast<double>(b.count - 1) / 2;
    return std::clamp(centre - half, top, std::max(top, bottom - 2 * half));
  };
  for (const EndLabel& label : labels) {
    blocks.push_back({label.end.y, 1});
    while (blocks.size() > 1) {
      const Block last = blocks.back();
      Block& before = blocks[blocks.size() - 2];
      const double before_end = first(before) + distance * static_cast<double>(before.count);
      if (before_end <= first(last)) break;
      before = {before.sum + last.sum, before.count + last.count};
      blocks.pop_back();
    }
  }
  std::size_t i = 0;
  for (const Block& block : blocks) {
    double y = first(block);
    for (std::size_t k = 0; k < block.count; ++k, y += distance) labels[i++].placed = y;
  }
}

void end_labels(Canvas& canvas, const std::vector<EndLabel>& labels, double x, double width,
                double size) {
  for (const EndLabel& label : labels) {
    const double y = label.placed;
    canvas.polyline({{label.end.x + 5, label.end.y}, {x - 24, y}, {x - 19, y}}, "f-leader",
                    " stroke-dasharray=\"1 2\"");
    if (label.reference) {
      canvas.line({x - 19, y}, {x - 4, y}, "f-diagonal");
    } else {
      canvas.line({x - 19, y}, {x - 4, y}, fmt::format("f-line f-k{}", label.look.colour),
                  label.look.dash.empty()
                      ? std::string()
                      : fmt::format(" stroke-dasharray=\"{}\"", label.look.dash));
      canvas.marker({x - 11.5, y}, label.look.marker, 3,
                    fmt::format("f-{}{}", label.look.hollow ? 'o' : 'p', label.look.colour));
    }
    canvas.text_within({x, y + 0.35 * size}, label.text, width, {.size = size});
  }
}

}  // namespace credence::figure
