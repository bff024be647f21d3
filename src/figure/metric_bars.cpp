// One metric of all methods: dots with intervals, the best first.
//
// Dots, not bars: most metrics have no meaningful zero, and a bar that starts elsewhere misleads.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "figure/axes.hpp"
#include "figure/svg.hpp"
#include "figure/text.hpp"

namespace credence::figure {
namespace {

constexpr double kBarsRow = 20, kBarsText = 11, kBarsMargin = 12;

/// What there is room for.
struct BarsRoom {
  double plot = 360, name = 170;
  bool intervals = true;  ///< beside the values
};
BarsRoom room_of(Frame frame) {
  if (frame == Frame::phone) return {.plot = 140, .name = 112, .intervals = false};
  return {};
}

std::string bar_text(double value, bool as_percent) {
  if (as_percent) return fmt::format("{:.2f}", 100 * value);
  return fmt::format("{:.4f}", value);
}

struct BarReach {
  double from = 0.0, to = 1.0;
};

/// The methods that set the scale: one that is three times as far from the best as all others would
/// press these into one place, and is drawn as an arrow at the end of the axis instead.
std::vector<const MethodValue*> within_reach(const MetricBars& bars) {
  std::vector<const MethodValue*> rows;
  for (const MethodValue& m : bars.methods) {
    if (m.value) rows.push_back(&m);
  }
  std::stable_sort(rows.begin(), rows.end(), [&](const MethodValue* a, const MethodValue* b) {
    return bars.lower_is_better ? *a->value < *b->value : *a->value > *b->value;
  });
  const auto off = [&](std::size_t i) { return std::abs(*rows[i]->value - *rows[0]->value); };
  while (rows.size() > 4 && off(rows.size() - 2) > 0 &&
         off(rows.size() - 1) > 3 * off(rows.size() - 2)) {
    rows.pop_back();
  }
  return rows;
}

BarReach reach_of(const MetricBars& bars) {
  std::vector<double> all;
  for (const MethodValue* m : within_reach(bars)) {
    for (const auto& value : {m->value, m->low, m->high}) {
      if (value) all.push_back(*value);
    }
    all.insert(all.end(), m->seeds.begin(), m->seeds.end());
  }
  if (bars.floor) all.push_back(*bars.floor);
  if (all.empty()) return {};
  const auto [least, most] = std::minmax_element(all.begin(), all.end());
  double from = *least, to = *most;
  if (from >= 0 && from < 0.5 * to) from = 0;
  if (!(to > from)) {
    const double around = std::max(std::abs(to) * 0.1, 1e-3);
    from -= around, to += around;
  }
  const Ends ends = round_ends(from, to, 5);
  return {ends.from, ends.to};
}

bool beyond(const MethodValue& m, const BarReach& reach) {
  return m.value && (*m.value < reach.from || *m.value > reach.to);
}

/// Points to where the value lies.
void draw_arrow(Canvas& canvas, Point tip, bool right) {
  const double back = right ? -7 : 7;
  canvas.path(fmt::format("M{0} {1}L{2} {3}L{2} {4}Z", number(tip.x), number(tip.y),
                          number(tip.x + back), number(tip.y - 4.5), number(tip.y + 4.5)),
              "f-worse", " stroke-width=\"1.5\"");
}

/// "0.7463 [0.7394, 0.7531]"; the spread over splits is "0.7463 ± 0.0069" instead.
std::string value_column(const MethodValue& m, bool as_percent, bool intervals = true) {
  if (!m.value) return m.missing;
  std::string text = bar_text(*m.value, as_percent);
  if (!intervals || !m.low || !m.high) return text;
  if (!m.seeds.empty()) return text + " ± " + bar_text((*m.high - *m.low) / 2, as_percent);
  return text +
         fmt::format(" [{}, {}]", bar_text(*m.low, as_percent), bar_text(*m.high, as_percent));
}

void draw_dot(Canvas& canvas, Point at, const MethodValue& m) {
  if (m.recommended) {
    canvas.marker(at, 3, 4.5, m.tied_with_best ? "f-best" : "f-worse", " stroke-width=\"1.5\"");
  } else if (m.oracle) {
    canvas.marker(at, 1, 4, m.tied_with_best ? "f-best" : "f-worse", " stroke-width=\"1.5\"");
  } else {
    canvas.marker(at, 0, 4, m.tied_with_best ? "f-best" : "f-worse", " stroke-width=\"1.5\"");
  }
}

void draw_method(Canvas& canvas, const MethodValue& m, double y, double plot_left, const Scale& x,
                 double column, bool as_percent, const BarsRoom& room) {
  std::string data = attribute("data-method", m.method);
  if (m.value) data += attribute("data-value", *m.value);
  canvas.group("method", data);
  canvas.tooltip(fmt::format(
      "{}: {}{}{}{}", m.method, value_column(m, as_percent), as_percent && m.value ? " %" : "",
      m.recommended ? ", recommended" : "", m.oracle ? ", fitted on the test rows" : ""));
  if (canvas.has_pointer()) {
    canvas.rect({kBarsMargin, y - kBarsRow / 2, column - kBarsMargin, kBarsRow}, "f-hit");
  }
  canvas.text({plot_left - 10, y + 0.35 * kBarsText},
              shortened(m.method, room.name, kBarsText, m.recommended),
              {.size = kBarsText,
               .anchor = Anchor::end,
               .classes = m.recommended ? "f-ink f-b"
                          : m.oracle    ? "f-muted f-i"
                                        : "f-ink"});
  if (beyond(m, {x.from(), x.to()})) {
    const bool right = *m.value > x.to();
    draw_arrow(canvas, {x(*m.value) + (right ? 5 : -5), y}, right);
  } else if (m.value) {
    for (const double seed : m.seeds) {
      canvas.line({x(seed), y - 5}, {x(seed), y + 5}, "f-seed");
    }
    if (m.low && m.high) {
      canvas.line({x(*m.low), y}, {x(*m.high), y},
                  m.tied_with_best ? "f-range f-best" : "f-range f-worse");
    }
    draw_dot(canvas, {x(*m.value), y}, m);
  }
  canvas.text(
      {column, y + 0.35 * kBarsText}, value_column(m, as_percent, room.intervals),
      {.size = 10, .anchor = Anchor::end, .classes = m.tied_with_best ? "f-ink f-b" : "f-muted"});
  canvas.end_group();
}

std::vector<LegendEntry> entries_of(const MetricBars& bars) {
  const auto dot = [](std::size_t shape, double radius, std::string_view classes) {
    return [=](Canvas& c, const Box& b) {
      c.marker({b.x + b.width / 2, b.y + b.height / 2}, shape, radius, classes,
               " stroke-width=\"1.5\"");
    };
  };
  bool tied = false, worse = false, recommended = false, oracle = false, seeds = false,
       interval = false;
  for (const MethodValue& m : bars.methods) {
    tied = tied || m.tied_with_best;
    worse = worse || !m.tied_with_best;
    recommended = recommended || m.recommended;
    oracle = oracle || m.oracle;
    seeds = seeds || !m.seeds.empty();
    interval = interval || (m.low && m.high);
  }
  std::vector<LegendEntry> entries;
  if (tied) entries.push_back({"not worse than the best within noise", dot(0, 4, "f-best")});
  if (worse) entries.push_back({"worse", dot(0, 4, "f-worse")});
  if (recommended) entries.push_back({"recommended", dot(3, 4.5, "f-best")});
  if (oracle) entries.push_back({"fitted on the test rows: a bound", dot(1, 4, "f-worse")});
  if (interval && !bars.interval.empty()) {
    entries.push_back({bars.interval, [](Canvas& c, const Box& b) {
                         const double y = b.y + b.height / 2;
                         c.line({b.x + 1, y}, {b.right() - 1, y}, "f-range f-worse");
                       }});
  }
  const BarReach reach = reach_of(bars);
  if (std::any_of(bars.methods.begin(), bars.methods.end(),
                  [&](const MethodValue& m) { return beyond(m, reach); })) {
    const bool right = bars.lower_is_better;
    entries.push_back({"beyond the axis", [right](Canvas& c, const Box& b) {
                         draw_arrow(c, {b.x + (right ? 14.0 : 6.0), b.y + b.height / 2}, right);
                       }});
  }
  if (seeds) {
    entries.push_back({"single splits", [](Canvas& c, const Box& b) {
                         for (const double x : {5.0, 9.0, 15.0}) {
                           c.line({b.x + x, b.y}, {b.x + x, b.bottom()}, "f-seed");
                         }
                       }});
  }
  if (bars.floor) {
    const std::string label =
        bars.floor_label.empty() ? "what a perfect model would show" : bars.floor_label;
    entries.push_back({fmt::format("{}: {}{}", label, bar_text(*bars.floor, bars.percent),
                                   bars.percent ? " %" : ""),
                       [](Canvas& c, const Box& b) {
                         const double x = b.x + b.width / 2;
                         c.line({x, b.y}, {x, b.bottom()}, "f-diagonal");
                       }});
  }
  return entries;
}

}  // namespace

std::string metric_bars(const MetricBars& bars, const Caption& caption, Frame frame) {
  const BarsRoom room = room_of(frame);
  double names = 40, values = 40;
  for (const MethodValue& m : bars.methods) {
    names = std::max(names, std::min(room.name, text_width(m.method, kBarsText, m.recommended)));
    values = std::max(
        values, text_width(value_column(m, bars.percent, room.intervals), 10, m.tied_with_best));
  }
  const double left = kBarsMargin + names + 10;
  const double column = left + room.plot + 16 + values;
  const double width = column + kBarsMargin;

  Canvas canvas(caption, frame);
  const std::string direction = bars.lower_is_better ? "← lower is better" : "higher is better →";
  canvas.text_within({kBarsMargin, 24}, bars.metric, width - 2 * kBarsMargin - 120,
                     {.size = 13, .classes = "f-ink f-b"});
  canvas.text({column, 24}, direction, {.size = 10, .anchor = Anchor::end, .classes = "f-muted"});
  double y = 24;
  for (const std::string& line : wrapped(bars.meaning, width - 2 * kBarsMargin, 10.5)) {
    y += 15;
    canvas.text({kBarsMargin, y}, line, {.size = 10.5, .classes = "f-muted"});
  }
  const Box box{left, y + 12, room.plot,
                kBarsRow * static_cast<double>(std::max<std::size_t>(bars.methods.size(), 1)) + 4};
  const BarReach reach = reach_of(bars);
  const Scale x = Scale::linear(reach.from, reach.to, box.x + 6, box.right() - 6);
  x_axis(canvas, box, x,
         round_ticks(reach.from, reach.to, frame == Frame::phone ? 2 : 5, bars.percent),
         {.grid = true,
          .title = shortened(bars.metric + (bars.percent ? " (%)" : ""), room.plot, 11),
          .title_offset = 34});
  if (bars.floor) {
    canvas.line({x(*bars.floor), box.y}, {x(*bars.floor), box.bottom()}, "f-diagonal");
  }
  double row = box.y + 2 + kBarsRow / 2;
  for (const MethodValue& m : bars.methods) {
    draw_method(canvas, m, row, left, x, column, bars.percent, room);
    row += kBarsRow;
  }
  const double below = box.bottom() + 46;
  const double keys =
      legend(&canvas, {kBarsMargin, below}, width - 2 * kBarsMargin, entries_of(bars));
  return canvas.finish(width, below + keys + 8);
}

}  // namespace credence::figure
