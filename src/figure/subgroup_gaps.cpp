// Confidence minus agreement, a line per subgroup.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "credence/figures.hpp"
#include "figure/axes.hpp"
#include "figure/svg.hpp"
#include "figure/text.hpp"

namespace credence::figure {
namespace {

constexpr double kGapsMargin = 16, kGapsRow = 24, kGapsPlot = 320, kGapsText = 11;
constexpr double kGapsLongestName = 180;

std::string gap_text(const SubgroupGap& row) {
  std::string text = fmt::format("{:+.1f}", 100.0 * row.gap);
  if (row.low && row.high) {
    text += fmt::format(" [{:.1f}, {:.1f}]", 100.0 * *row.low, 100.0 * *row.high);
  }
  return fmt::format("{}, n = {}", text, row.examples);
}

bool excludes_zero(const SubgroupGap& row) {
  return row.low && row.high && (*row.low > 0.0 || *row.high < 0.0);
}

/// Both sides of 0, so that over and under can be compared.
Ends gap_reach(const SubgroupGaps& gaps) {
  double least = -0.01, most = 0.01;
  for (const SubgroupGap& row : gaps.rows) {
    for (const auto& value : {std::optional(row.gap), row.low, row.high}) {
      if (!value) continue;
      least = std::min(least, *value);
      most = std::max(most, *value);
    }
  }
  return round_ends(least, most, 5);
}

std::string_view gap_ink(const SubgroupGap& row) {
  return !excludes_zero(row) ? "f-worse" : row.gap > 0.0 ? "f-over" : "f-under";
}

void draw_gap(Canvas& canvas, const SubgroupGap& row, double y, double left, const Scale& x,
              double column) {
  canvas.group("subgroup", attribute("data-name", row.name) + attribute("data-value", row.gap));
  canvas.tooltip(fmt::format("{}: {}", row.name, gap_text(row)));
  canvas.text_within({kGapsMargin, y + 0.35 * kGapsText}, row.name, left - kGapsMargin - 10,
                     {.size = kGapsText, .classes = excludes_zero(row) ? "f-ink f-b" : "f-ink"});
  if (row.low && row.high) {
    canvas.line({x(*row.low), y}, {x(*row.high), y}, "f-range f-worse");
  }
  // The shape says what the colour says: a triangle points to the side of the error.
  canvas.marker({x(row.gap), y}, excludes_zero(row) ? (row.gap > 0.0 ? 2 : 4) : 0,
                row.few ? 3.0 : 4.5, gap_ink(row), " stroke-width=\"1.5\"");
  canvas.text(
      {column, y + 0.35 * kGapsText}, gap_text(row),
      {.size = 10, .anchor = Anchor::end, .classes = excludes_zero(row) ? "f-ink f-b" : "f-muted"});
  canvas.end_group();
}

std::vector<LegendEntry> gap_legend(const SubgroupGaps& gaps) {
  const auto sign = [](std::size_t shape, std::string_view ink) {
    return [=](Canvas& c, const Box& b) {
      c.marker({b.x + b.width / 2, b.y + b.height / 2}, shape, 4.5, ink, " stroke-width=\"1.5\"");
    };
  };
  bool over = false, under = false, neither = false, few = false;
  for (const SubgroupGap& row : gaps.rows) {
    over = over || (excludes_zero(row) && row.gap > 0.0);
    under = under || (excludes_zero(row) && row.gap < 0.0);
    neither = neither || !excludes_zero(row);
    few = few || row.few;
  }
  std::vector<LegendEntry> entries;
  if (over) entries.push_back({"over-confident", sign(2, "f-over")});
  if (under) entries.push_back({"under-confident", sign(4, "f-under")});
  if (neither) entries.push_back({"the interval includes 0", sign(0, "f-worse")});
  if (few) {
    entries.push_back({"small: fewer than 20 examples", [](Canvas& c, const Box& b) {
                         c.marker({b.x + b.width / 2, b.y + b.height / 2}, 0, 3.0, "f-worse",
                                  " stroke-width=\"1.5\"");
                       }});
  }
  return entries;
}

}  // namespace

std::string subgroup_gaps(const SubgroupGaps& gaps, const Caption& caption, Frame frame) {
  double names = 40, values = 40;
  for (const SubgroupGap& row : gaps.rows) {
    names = std::max(names, std::min(kGapsLongestName, text_width(row.name, kGapsText, true)));
    values = std::max(values, text_width(gap_text(row), 10, true));
  }
  const double left = kGapsMargin + names + 10, column = left + kGapsPlot + 16 + values;
  const double width = column + kGapsMargin;
  Canvas canvas(caption, frame);
  canvas.text_within({kGapsMargin, 24}, caption.title, width - 2 * kGapsMargin,
                     {.size = 13, .classes = "f-ink f-b"});
  const Box box{left, 36, kGapsPlot,
                kGapsRow * static_cast<double>(std::max<std::size_t>(gaps.rows.size(), 1)) + 4};
  const Ends reach = gap_reach(gaps);
  const Scale x = Scale::linear(reach.from, reach.to, box.x + 6, box.right() - 6);
  x_axis(canvas, box, x, round_ticks(reach.from, reach.to, 5, true),
         {.grid = true, .title = "mean confidence minus agreement (points)", .title_offset = 34});
  canvas.line({x(0.0), box.y}, {x(0.0), box.bottom()}, "f-diagonal");
  double y = box.y + 2 + kGapsRow / 2;
  for (const SubgroupGap& row : gaps.rows) {
    draw_gap(canvas, row, y, left, x, column);
    y += kGapsRow;
  }
  const double below = box.bottom() + 46;
  const double keys =
      legend(&canvas, {kGapsMargin, below}, width - 2 * kGapsMargin, gap_legend(gaps));
  return canvas.finish(width, below + keys + 8);
}

}  // namespace credence::figure
