#include "figure/reliability_panel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "credence/text.hpp"
#include "figure/svg.hpp"
#include "figure/text.hpp"

namespace credence::figure {
namespace {

constexpr double kStripGap = 12.0;  // between the square and the strip
constexpr double kNormal95 = 1.96;  // half width of a 95 % band in standard deviations
constexpr double kNoteSize = 10.5, kNoteLine = 14.0, kNoteInset = 8.0;

double note_size(const PanelLook& look) { return look.small ? 9.0 : kNoteSize; }
double note_line(const PanelLook& look) { return look.small ? 12.0 : kNoteLine; }

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

struct Scales {
  Scale x, y, count;
};

Scale count_scale(const Reliability& diagram, const PanelLook& look, const Box& strip, bool log) {
  double most = look.most;
  for (const DrawnBin& bin : diagram.bins) {
    most = std::max(most, static_cast<double>(bin.count));
  }
  if (log) return Scale::logarithmic(0.7, std::max(most, 10.0), strip.bottom(), strip.y);
  return Scale::linear(0, std::max(most, 1.0), strip.bottom(), strip.y);
}

void draw_bin(Canvas& canvas, const DrawnBin& bin, std::size_t index, const Scales& scale,
              const Box& square, const Box& strip) {
  std::string data = attribute("data-bin", index) + attribute("data-count", bin.count);
  if (bin.count > 0) {
    data +=
        attribute("data-confidence", bin.confidence) + attribute("data-agreement", bin.agreement);
  }
  canvas.group("bin", data);
  canvas.tooltip(described(bin));
  const double left = scale.x(bin.from), right = scale.x(bin.to);
  canvas.rect({left, square.y, right - left, strip.bottom() - square.y}, "f-hit");
  if (bin.count == 0) return canvas.end_group();

  // A hair of paper between bars, so that neighbours of equal height stay two bars.
  const double gap = std::min(1.0, (right - left) / 8);
  const double x = left + gap / 2, width = right - left - gap;
  const double top = scale.y(bin.agreement), wanted = scale.y(bin.confidence);
  canvas.rect({x, top, width, square.bottom() - top}, "f-bar");
  if (bin.noise) {
    const double upper = scale.y(bin.confidence + kNormal95 * *bin.noise);
    const double lower = scale.y(bin.confidence - kNormal95 * *bin.noise);
    canvas.rect({x, upper, width, lower - upper}, "noise-band");
  }
  if (std::abs(wanted - top) >= 0.01) {
    canvas.hatched({x, std::min(top, wanted), width, std::abs(wanted - top)},
                   bin.confidence > bin.agreement ? Hatch::over : Hatch::under);
  }
  canvas.line({x, top}, {x + width, top}, "f-top");
  if (bin.low && bin.high) {
    const double middle = (left + right) / 2;
    canvas.line({middle, scale.y(*bin.low)}, {middle, scale.y(*bin.high)}, "f-whisker");
  }
  const double count_top = scale.count(static_cast<double>(bin.count));
  canvas.rect({x, count_top, width, strip.bottom() - count_top}, "f-count");
  canvas.end_group();
}

void draw_strip_axis(Canvas& canvas, const Box& strip, const Scale& count, const PanelLook& look,
                     bool log) {
  std::vector<Tick> ticks = log ? log_ticks(1, count.to()) : round_ticks(0, count.to(), 2);
  // The ends are enough to read a strip by.
  if (ticks.size() > 2) ticks = {ticks.front(), ticks.back()};
  y_axis(canvas, strip, count, ticks, {.size = look.size, .labels = look.y_labels});
  if (!look.y_title) return;
  const double middle = strip.y + strip.height / 2;
  const TextLook turned{.size = 9.5, .anchor = Anchor::middle, .classes = "f-muted", .turned = -90};
  canvas.text({strip.x - (log ? 47 : 41), middle}, "examples", turned);
  if (log) canvas.text({strip.x - 37, middle}, "log scale", turned);
}

}  // namespace

std::vector<std::string> note_lines(const Reliability& diagram, const PanelLook& look) {
  std::vector<std::string> lines;
  const double width = look.small || look.notes_above ? look.side : 0.62 * look.side;
  for (const std::string& note : diagram.notes) {
    for (std::string& line : wrapped(note, width, note_size(look))) {
      lines.push_back(std::move(line));
    }
  }
  return lines;
}

bool notes_fit(const Reliability& diagram, const PanelLook& look) {
  const std::vector<std::string> lines = note_lines(diagram, look);
  double width = 0;
  for (const std::string& line : lines) {
    width = std::max(width, text_width(line, note_size(look)));
  }
  const double right = (width + 2 * kNoteInset) / look.side;
  const double height = kNoteLine * static_cast<double>(lines.size()) + 2 * kNoteInset;
  const double floor = 1 - height / look.side;
  if (right > floor) return false;  // it would touch the diagonal
  return std::none_of(diagram.bins.begin(), diagram.bins.end(), [&](const DrawnBin& bin) {
    if (bin.count == 0 || bin.from > right) return false;
    const double top = std::max({bin.agreement, bin.confidence, bin.high.value_or(0.0),
                                 bin.confidence + kNormal95 * bin.noise.value_or(0.0)});
    return top > floor;
  });
}

double heading_height(const Reliability& diagram, const PanelLook& look) {
  const double name = look.small ? 20 : 24;
  if (!look.notes_above) return name;
  return name + note_line(look) * static_cast<double>(note_lines(diagram, look).size());
}

double panel_height(const PanelLook& look) { return look.side + kStripGap + look.strip; }

bool counts_need_log(const std::vector<const Reliability*>& diagrams) {
  std::size_t least = 0, most = 0;
  for (const Reliability* diagram : diagrams) {
    for (const DrawnBin& bin : diagram->bins) {
      if (bin.count == 0) continue;
      least = least == 0 ? bin.count : std::min(least, bin.count);
      most = std::max(most, bin.count);
    }
  }
  return least > 0 && most / least >= 50;
}

void draw_panel(Canvas& canvas, Point corner, const Reliability& diagram, const PanelLook& look,
                bool log_counts) {
  const Box square{corner.x, corner.y, look.side, look.side};
  const Box strip{corner.x, square.bottom() + kStripGap, look.side, look.strip};
  const Scales scale{Scale::linear(0, 1, square.x, square.right()),
                     Scale::linear(0, 1, square.bottom(), square.y),
                     count_scale(diagram, look, strip, log_counts)};
  const auto ticks = round_ticks(0, 1, look.small ? 2 : 5, true);

  canvas.group("panel",
               attribute("data-x0", square.x) + attribute("data-x1", square.right()) +
                   attribute("data-y0", square.bottom()) + attribute("data-y1", square.y) +
                   attribute("data-strip0", strip.bottom()) + attribute("data-strip1", strip.y) +
                   attribute("data-method", diagram.method) +
                   attribute("data-truth", diagram.truth == Truth::vote ? "vote" : "annotators"));
  const double name_size = look.small ? 11 : 13;
  double y = corner.y - std::max(look.heading, heading_height(diagram, look)) + name_size;
  double x = corner.x;
  if (look.letter != 0) {
    canvas.text({x, y}, std::string(1, look.letter), {.size = name_size, .classes = "f-ink f-b"});
    x += 16;
  }
  canvas.text_within({x, y}, diagram.method, square.right() - x,
                     {.size = name_size, .classes = "f-ink f-b"});

  for (const Tick& tick : ticks) {
    if (tick.value > 0) {
      canvas.line({square.x, scale.y(tick.value)}, {square.right(), scale.y(tick.value)}, "f-grid");
    }
  }
  canvas.group("bins");
  for (std::size_t b = 0; b < diagram.bins.size(); ++b) {
    draw_bin(canvas, diagram.bins[b], b, scale, square, strip);
  }
  canvas.end_group();
  canvas.line({square.x, square.bottom()}, {square.right(), square.y}, "f-diagonal",
              " pointer-events=\"none\"");

  y_axis(canvas, square, scale.y, ticks,
         {.size = look.size,
          .labels = look.y_labels,
          .title = !look.y_title                        ? ""
                   : diagram.truth == Truth::annotators ? "share of annotators who agree (%)"
                                                        : "share where the vote agrees (%)",
          .title_offset = 38});
  canvas.line({square.x, square.bottom()}, {square.right(), square.bottom()}, "f-axis");
  draw_strip_axis(canvas, strip, scale.count, look, log_counts);
  x_axis(canvas, strip, scale.x, ticks,
         {.size = look.size,
          .labels = look.x_labels,
          .title = look.x_title ? "confidence (%)" : "",
          .title_offset = kPanelBelow - 3});

  const auto lines = note_lines(diagram, look);
  Point at{corner.x, y + note_line(look) + 1};
  if (!look.notes_above) at = {square.x + kNoteInset, square.y + kNoteInset + kNoteSize};
  for (const std::string& line : lines) {
    canvas.text(at, line, {.size = note_size(look), .classes = "f-muted"});
    at.y += note_line(look);
  }
  canvas.end_group();
}

std::vector<LegendEntry> panel_legend(const std::vector<const Reliability*>& diagrams) {
  bool noise = false, interval = false;
  for (const Reliability* diagram : diagrams) {
    for (const DrawnBin& bin : diagram->bins) {
      noise = noise || (bin.count > 0 && bin.noise);
      interval = interval || (bin.count > 0 && bin.low && bin.high);
    }
  }
  std::vector<LegendEntry> entries;
  entries.push_back({"over-confident", [](Canvas& c, const Box& b) { c.hatched(b, Hatch::over); }});
  entries.push_back(
      {"under-confident", [](Canvas& c, const Box& b) { c.hatched(b, Hatch::under); }});
  if (noise) {
    entries.push_back({"where a perfect model would lie (95 %)",
                       [](Canvas& c, const Box& b) { c.rect(b, "noise-band"); }, "noise-key"});
  }
  if (interval) {
    entries.push_back({"interval of the agreement", [](Canvas& c, const Box& b) {
                         const double x = b.x + b.width / 2, y = b.y + b.height / 2;
                         c.line({b.x + 3, y}, {b.right() - 3, y}, "f-top");
                         c.line({x, b.y - 1}, {x, b.bottom() + 1}, "f-whisker");
                       }});
  }
  return entries;
}

}  // namespace credence::figure
