#include "figure/reliability_panel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "credence/text.hpp"
#include "figure/svg.hpp"
#include "figure/text.hpp"

namespace credence::figure {
namespace {

constexpr double kStripGap = 12.0;    // between the square and the strip
constexpr double kNormal95 = 1.96;    // half width of a 95 % band in standard deviations
constexpr double kLeastCount = 0.75;  // height of a bin of one example: there, if barely

double note_size(const PanelLook& look) { return look.small ? 9.0 : 10.5; }
double note_line(const PanelLook& look) { return look.small ? 12.0 : 14.0; }

const std::string& heading_of(const Reliability& diagram) {
  return diagram.heading.empty() ? diagram.method : diagram.heading;
}

bool faint(const DrawnBin& bin) { return bin.count < kFewExamples; }

std::string described(const DrawnBin& bin) {
  const std::string range = fmt::format("{:.2f}–{:.2f}", bin.from, bin.to);
  if (bin.count == 0) return range + ": no examples";
  std::string text =
      fmt::format("{}: {} example{}, confidence {}, agreement {}", range, grouped_digits(bin.count),
                  bin.count == 1 ? "" : "s", percent(bin.confidence), percent(bin.agreement));
  if (bin.low && bin.high) {
    text += fmt::format(" [{:.1f}, {:.1f}]", 100 * *bin.low, 100 * *bin.high);
  }
  return text;
}

struct PanelScales {
  Scale x, y, count;
};

/// The marks of a bin that holds examples.
struct BinMarks {
  Box bar, count;
  std::optional<Box> band, gap;
  std::optional<std::pair<double, double>> whisker;  ///< its ends
  double middle = 0.0;
  Hatch hatch = Hatch::over;
};

BinMarks marks_of(const DrawnBin& bin, const PanelScales& scale, const Box& square,
                  const Box& strip) {
  const double left = scale.x(bin.from), right = scale.x(bin.to);
  // A hair of paper between bars, so that neighbours of equal height stay two bars.
  const double hair = std::min(1.0, (right - left) / 8);
  const double x = left + hair / 2, width = right - left - hair;
  const double top = scale.y(bin.agreement), wanted = scale.y(bin.confidence);
  const double count_top =
      std::min(scale.count(static_cast<double>(bin.count)), strip.bottom() - kLeastCount);
  BinMarks marks{.bar = {x, top, width, square.bottom() - top},
                 .count = {x, count_top, width, strip.bottom() - count_top},
                 .band = {},
                 .gap = {},
                 .whisker = {},
                 .middle = (left + right) / 2,
                 .hatch = bin.confidence > bin.agreement ? Hatch::over : Hatch::under};
  if (bin.noise) {
    const double upper = scale.y(bin.confidence + kNormal95 * *bin.noise);
    const double lower = scale.y(bin.confidence - kNormal95 * *bin.noise);
    marks.band = {x, upper, width, lower - upper};
  }
  if (std::abs(wanted - top) >= 0.01) {
    marks.gap = {x, std::min(top, wanted), width, std::abs(wanted - top)};
  }
  if (bin.low && bin.high) marks.whisker = {scale.y(*bin.low), scale.y(*bin.high)};
  return marks;
}

void draw_bin(Canvas& canvas, const DrawnBin& bin, std::size_t index, const PanelScales& scale,
              const Box& square, const Box& strip) {
  std::string data = attribute("data-bin", index) + attribute("data-count", bin.count);
  if (bin.count > 0) {
    data +=
        attribute("data-confidence", bin.confidence) + attribute("data-agreement", bin.agreement);
  }
  canvas.group(bin.count > 0 && faint(bin) ? "bin f-few" : "bin", data);
  canvas.tooltip(described(bin));
  const double left = scale.x(bin.from), right = scale.x(bin.to);
  canvas.rect({left, square.y, right - left, strip.bottom() - square.y}, "f-hit");
  if (bin.count == 0) return canvas.end_group();
  const BinMarks marks = marks_of(bin, scale, square, strip);
  canvas.rect(marks.bar, "f-bar");
  if (marks.band) canvas.rect(*marks.band, "noise-band");
  if (marks.gap) canvas.hatched(*marks.gap, marks.hatch);
  canvas.line({marks.bar.x, marks.bar.y}, {marks.bar.right(), marks.bar.y}, "f-top");
  if (marks.whisker) {
    canvas.line({marks.middle, marks.whisker->first}, {marks.middle, marks.whisker->second},
                "f-whisker");
  }
  canvas.rect(marks.count, "f-count");
  canvas.end_group();
}

std::string tenth(double value) { return number(value, 1); }

std::string as_path(const Box& box) {
  return fmt::format("M{} {}H{}V{}H{}Z", tenth(box.x), tenth(box.y), tenth(box.right()),
                     tenth(box.bottom()), tenth(box.x));
}

void draw_plain_bins(Canvas& canvas, const Reliability& diagram, const PanelScales& scale,
                     const Box& square, const Box& strip) {
  for (const bool few : {false, true}) {
    std::string bars, bands, tops, whiskers, counts;
    std::array<std::string, 2> gaps;
    for (const DrawnBin& bin : diagram.bins) {
      if (bin.count == 0 || faint(bin) != few) continue;
      const BinMarks marks = marks_of(bin, scale, square, strip);
      bars += as_path(marks.bar);
      if (marks.band) bands += as_path(*marks.band);
      if (marks.gap) gaps[marks.hatch == Hatch::over ? 0 : 1] += as_path(*marks.gap);
      tops += fmt::format("M{} {}H{}", tenth(marks.bar.x), tenth(marks.bar.y),
                          tenth(marks.bar.right()));
      if (marks.whisker) {
        whiskers += fmt::format("M{} {}V{}", tenth(marks.middle), tenth(marks.whisker->first),
                                tenth(marks.whisker->second));
      }
      counts += as_path(marks.count);
    }
    if (bars.empty()) continue;
    canvas.group(few ? "f-few" : "");
    canvas.path(bars, "f-bar");
    canvas.path(bands, "noise-band");
    if (!gaps[0].empty()) canvas.path(gaps[0], "f-gap f-over", canvas.fill_of(Hatch::over));
    if (!gaps[1].empty()) canvas.path(gaps[1], "f-gap f-under", canvas.fill_of(Hatch::under));
    canvas.path(tops, "f-top");
    canvas.path(whiskers, "f-whisker");
    canvas.path(counts, "f-count");
    canvas.end_group();
  }
}

void draw_strip_axis(Canvas& canvas, const Box& strip, const Scale& count, const PanelLook& look) {
  // The ends are enough to read a strip by.
  const std::vector<Tick> ticks{{0, "0"}, {count.to(), compact_count(count.to())}};
  y_axis(canvas, strip, count, ticks, {.size = look.size, .labels = look.y_labels});
  if (!look.y_title) return;
  canvas.text({strip.x - 41, strip.y + strip.height / 2}, "examples",
              {.size = 9.5, .anchor = Anchor::middle, .classes = "f-muted", .turned = -90});
}

void draw_heading(Canvas& canvas, Point corner, const Reliability& diagram, const PanelLook& look) {
  const double size = look.small ? 11 : 13;
  double y = corner.y - std::max(look.heading, heading_height(diagram, look)) + size;
  double x = corner.x;
  if (look.letter != 0) {
    canvas.text({x, y}, std::string(1, look.letter), {.size = size, .classes = "f-ink f-b"});
    x += 16;
  }
  canvas.text_within({x, y}, heading_of(diagram), corner.x + look.side - x,
                     {.size = size, .classes = "f-ink f-b"});
  y += 1;
  for (const std::string& note : diagram.notes) {
    y += note_line(look);
    canvas.text_within({corner.x, y}, note, look.side,
                       {.size = note_size(look), .classes = "f-muted"});
  }
}

}  // namespace

double heading_height(const Reliability& diagram, const PanelLook& look) {
  return (look.small ? 20 : 24) + note_line(look) * static_cast<double>(diagram.notes.size());
}

double panel_height(const PanelLook& look) { return look.side + kStripGap + look.strip; }

PanelLook shared_look(PanelLook look, const std::vector<const Reliability*>& diagrams) {
  for (const Reliability* diagram : diagrams) {
    look.heading = std::max(look.heading, heading_height(*diagram, look));
    look.most = std::max(look.most, static_cast<double>(diagram->most_examples));
    for (const DrawnBin& bin : diagram->bins) {
      look.most = std::max(look.most, static_cast<double>(bin.count));
    }
  }
  return look;
}

std::string agreement_title(Truth truth) {
  return truth == Truth::annotators ? "share of annotators who agree (%)"
                                    : "share where the majority label agrees (%)";
}

void draw_panel(Canvas& canvas, Point corner, const Reliability& diagram, const PanelLook& given) {
  const PanelLook look = shared_look(given, {&diagram});
  const Box square{corner.x, corner.y, look.side, look.side};
  const Box strip{corner.x, square.bottom() + kStripGap, look.side, look.strip};
  const PanelScales scale{
      Scale::linear(0, 1, square.x, square.right()), Scale::linear(0, 1, square.bottom(), square.y),
      Scale::linear(0, round_ends(0, std::max(look.most, 1.0), 4).to, strip.bottom(), strip.y)};
  const auto ticks = round_ticks(0, 1, look.small ? 2 : 5, true);

  canvas.group(look.small ? "panel f-small" : "panel",
               attribute("data-x0", square.x) + attribute("data-x1", square.right()) +
                   attribute("data-y0", square.bottom()) + attribute("data-y1", square.y) +
                   attribute("data-strip0", strip.bottom()) + attribute("data-strip1", strip.y) +
                   attribute("data-most", scale.count.to()) +
                   attribute("data-method", diagram.method) +
                   attribute("data-truth", diagram.truth == Truth::vote ? "vote" : "annotators"));
  draw_heading(canvas, corner, diagram, look);
  for (const Tick& tick : ticks) {
    if (tick.value > 0) {
      canvas.line({square.x, scale.y(tick.value)}, {square.right(), scale.y(tick.value)}, "f-grid");
    }
  }
  canvas.group("bins");
  if (look.plain) {
    draw_plain_bins(canvas, diagram, scale, square, strip);
  } else {
    for (std::size_t b = 0; b < diagram.bins.size(); ++b) {
      draw_bin(canvas, diagram.bins[b], b, scale, square, strip);
    }
  }
  canvas.end_group();
  canvas.line({square.x, square.bottom()}, {square.right(), square.y}, "f-diagonal",
              " pointer-events=\"none\"");

  y_axis(canvas, square, scale.y, ticks,
         {.size = look.size,
          .labels = look.y_labels,
          .title = look.y_title ? agreement_title(diagram.truth) : "",
          .title_offset = 38});
  canvas.line({square.x, square.bottom()}, {square.right(), square.bottom()}, "f-axis");
  draw_strip_axis(canvas, strip, scale.count, look);
  x_axis(canvas, strip, scale.x, ticks,
         {.size = look.size,
          .labels = look.x_labels,
          .title = look.x_title ? "confidence (%)" : "",
          .title_offset = kPanelBelow - 3});
  canvas.end_group();
}

std::vector<LegendEntry> panel_legend(const std::vector<const Reliability*>& diagrams) {
  bool noise = false, interval = false, few = false;
  for (const Reliability* diagram : diagrams) {
    for (const DrawnBin& bin : diagram->bins) {
      if (bin.count == 0) continue;
      noise = noise || bin.noise;
      interval = interval || (bin.low && bin.high);
      few = few || faint(bin);
    }
  }
  const auto bar = [](Canvas& c, const Box& b) {
    c.rect(b, "f-bar");
    c.line({b.x, b.y}, {b.right(), b.y}, "f-top");
  };
  std::vector<LegendEntry> entries;
  entries.push_back({"agreement", bar});
  entries.push_back({"over-confident", [](Canvas& c, const Box& b) { c.hatched(b, Hatch::over); }});
  entries.push_back(
      {"under-confident", [](Canvas& c, const Box& b) { c.hatched(b, Hatch::under); }});
  if (interval) {
    entries.push_back({"95 % interval of the agreement", [](Canvas& c, const Box& b) {
                         const double x = b.x + b.width / 2, y = b.y + b.height / 2;
                         c.line({b.x + 3, y}, {b.right() - 3, y}, "f-top");
                         c.line({x, b.y - 1}, {x, b.bottom() + 1}, "f-whisker");
                       }});
  }
  entries.push_back({"agreement = confidence", [](Canvas& c, const Box& b) {
                       c.line({b.x, b.bottom()}, {b.right(), b.y}, "f-diagonal");
                     }});
  if (noise) {
    entries.push_back({"where 95 % of a perfect model's bars end",
                       [](Canvas& c, const Box& b) { c.rect(b, "noise-band"); }, "noise-key"});
  }
  if (few) {
    entries.push_back(
        {fmt::format("faint: fewer than {} examples", kFewExamples), [](Canvas& c, const Box& b) {
           c.group("f-few");
           c.rect({b.x, b.y + 4, b.width, b.height - 4}, "f-bar");
           c.hatched({b.x, b.y, b.width, 4}, Hatch::over);
           c.line({b.x, b.y + 4}, {b.right(), b.y + 4}, "f-top");
           c.end_group();
         }});
  }
  entries.push_back({"examples per bin", [](Canvas& c, const Box& b) {
                       c.rect({b.x + 2, b.y + 5, 5, 5}, "f-count");
                       c.rect({b.x + 8, b.y + 2, 5, 8}, "f-count");
                       c.rect({b.x + 14, b.y, 5, 10}, "f-count");
                     }});
  return entries;
}

}  // namespace credence::figure
