// Methods against metrics; what is not worse than the best within noise is framed and bold.
#include <fmt/format.h>

#include <algorithm>

#include "figure/cells.hpp"
#include "figure/palette.hpp"
#include "figure/svg.hpp"
#include "figure/text.hpp"

namespace credence::figure {
namespace {

constexpr double kHeatmapRow = 22, kHeatmapText = 11, kCellSize = 10, kHeatmapLongestName = 170,
                 kHeatmapMargin = 12;

void draw_cell(Canvas& canvas, const HeatCell& cell, const Box& box, const std::string& method,
               const std::string& metric) {
  // The strongest shades are left to figures without numbers: text stays ink on paper here.
  const std::size_t shade =
      cell.value ? std::min(shade_level(cell.goodness * 0.62), kFirstStrongShade - 1) : 0;
  std::string data = attribute("data-method", method) + attribute("data-metric", metric);
  if (cell.value) data += attribute("data-value", *cell.value);
  canvas.group("cell", data);
  canvas.rect(box, fmt::format("f-s{}", shade));
  if (cell.tied_with_best) {
    canvas.rect({box.x + 1.25, box.y + 1.25, box.width - 2.5, box.height - 2.5}, "f-frame");
  }
  const std::string text = cell.value ? cell.text : "–";
  canvas.text({box.x + box.width / 2, box.y + box.height / 2 + 0.35 * kCellSize}, text,
              {.size = kCellSize,
               .anchor = Anchor::middle,
               .classes = cell.tied_with_best ? "f-ink f-b"
                          : cell.value        ? "f-ink"
                                              : "f-muted"});
  canvas.end_group();
}

}  // namespace

std::string method_heatmap(const Heatmap& map, const Caption& caption, Frame frame) {
  double names = 40, step = 44;
  for (const std::string& name : map.methods) {
    names = std::max(names, std::min(kHeatmapLongestName, text_width(name, kHeatmapText)));
  }
  for (const HeatCell& cell : map.cells) {
    step = std::max(step, text_width(cell.text, kCellSize, true) + 10);
  }
  step = std::min(step, 110.0);
  const double left = kHeatmapMargin + names + 10;
  const double heading = column_names(nullptr, map.metrics, left, 0, step, kHeatmapText);
  const double top = kHeatmapMargin + heading;
  const double rows = static_cast<double>(map.methods.size());
  const double columns = static_cast<double>(map.metrics.size());

  Canvas canvas(caption, frame);
  column_names(&canvas, map.metrics, left, top, step, kHeatmapText);
  for (std::size_t r = 0; r < map.methods.size(); ++r) {
    const double y = top + kHeatmapRow * static_cast<double>(r);
    canvas.text({left - 10, y + kHeatmapRow / 2 + 0.35 * kHeatmapText},
                shortened(map.methods[r], kHeatmapLongestName, kHeatmapText),
                {.size = kHeatmapText, .anchor = Anchor::end});
    for (std::size_t c = 0; c < map.metrics.size(); ++c) {
      HeatCell cell = map.cells.at(r * map.metrics.size() + c);
      cell.text = shortened(cell.text, step - 8, kCellSize, true);
      draw_cell(canvas, cell,
                {left + step * static_cast<double>(c) + 0.5, y + 0.5, step - 1, kHeatmapRow - 1},
                map.methods[r], map.metrics[c]);
    }
  }
  const double right = left + step * columns;
  double y = top + kHeatmapRow * rows + 14;
  // Signs: a frame, and the shade.
  canvas.rect({left, y, 20, 11}, "f-frame");
  canvas.text({left + 26, y + 9.5}, "not worse than the best within noise",
              {.size = 10, .classes = "f-muted"});
  y += 18;
  double x = left;
  for (std::size_t s = 0; s < kFirstStrongShade; ++s, x += 12) {
    canvas.rect({x, y, 12, 11}, fmt::format("f-cell f-s{}", s));
  }
  canvas.rect({left, y, x - left, 11}, "f-outline");
  canvas.text({x + 6, y + 9.5}, "worst to best of each column", {.size = 10, .classes = "f-muted"});
  const double keys = std::max(left + 26 + text_width("not worse than the best within noise", 10),
                               x + 6 + text_width("worst to best of each column", 10));
  const double overhang = column_overhang(map.metrics, step, kHeatmapText);
  return canvas.finish(std::max(right + std::max(overhang, 0.0), keys) + kHeatmapMargin, y + 22);
}

}  // namespace credence::figure
