// Pointwise error along the disagreement of annotators, the examples as a shade behind the lines.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "credence/text.hpp"
#include "figure/lines.hpp"
#include "figure/palette.hpp"
#include "figure/svg.hpp"
#include "figure/text.hpp"

namespace credence::figure {
namespace {

constexpr double kEntropyLeft = 60, kEntropyTop = 16, kEntropyWidth = 460, kEntropyHeight = 320;

double cell(const Density& density, std::size_t row, std::size_t column) {
  return density.counts[row * density.columns + column];
}

bool usable(const std::optional<Density>& density) {
  return density && density->columns > 0 && density->rows > 0 &&
         density->counts.size() == density->columns * density->rows;
}

/// Where the axes end: at what the lines need and at nearly all examples.
struct Reach {
  double x = 0.1, y = 0.05, above = 0.0;
};

Reach reach_of(const std::vector<EntropyCurve>& curves, const std::optional<Density>& density) {
  Reach ends;
  for (const EntropyCurve& curve : curves) {
    for (const EntropyPoint& p : curve.points) {
      ends.x = std::max(ends.x, p.entropy);
      ends.y = std::max({ends.y, p.error, p.high.value_or(0.0)});
    }
  }
  double total = 0, seen = 0;
  if (usable(density)) {
    for (const double count : density->counts) total += count;
    for (std::size_t r = 0; r < density->rows; ++r) {
      // The highest twentieth is scattered thinly and would push the lines into a corner.
      const bool within = seen < 0.95 * total;
      for (std::size_t c = 0; c < density->columns; ++c) {
        const double count = cell(*density, r, c);
        seen += count;
        if (count <= 0) continue;
        if (within)
          ends.y =
              std::max(ends.y, static_cast<double>(r + 1) / static_cast<double>(density->rows));
        ends.x =
            std::max(ends.x, static_cast<double>(c + 1) / static_cast<double>(density->columns));
      }
    }
  }
  ends.x = std::min(1.0, std::ceil(ends.x * 10 - 1e-9) / 10);
  ends.y = std::min(1.0, round_ends(0, ends.y, 5).to);
  if (total > 0) {
    for (std::size_t r = 0; r < density->rows; ++r) {
      if ((static_cast<double>(r) + 0.5) / static_cast<double>(density->rows) < ends.y) continue;
      for (std::size_t c = 0; c < density->columns; ++c) ends.above += cell(*density, r, c) / total;
    }
  }
  return ends;
}

/// Twice as fine in both directions and smoothed by the binomial kernel 1 4 6 4 1: entropies of a
/// few votes are few numbers, and their stripes would draw the eye away from the lines.
Density softened(const Density& density) {
  constexpr std::array<double, 5> kKernel{1.0 / 16, 4.0 / 16, 6.0 / 16, 4.0 / 16, 1.0 / 16};
  Density fine{2 * density.columns, 2 * density.rows, {}, density.method};
  fine.counts.resize(fine.columns * fine.rows);
  for (std::size_t r = 0; r < fine.rows; ++r) {
    for (std::size_t c = 0; c < fine.columns; ++c) {
      fine.counts[r * fine.columns + c] = cell(density, r / 2, c / 2);
    }
  }
  // Cells beyond an edge are those before it, mirrored: nothing leaks out of the figure.
  const auto mirrored = [](std::size_t at, std::size_t step, std::size_t size) {
    const long i = static_cast<long>(at + step) - 2, last = static_cast<long>(size) - 1;
    return static_cast<std::size_t>(std::clamp(i < 0      ? -1 - i
                                               : i > last ? 2 * last + 1 - i
                                                          : i,
                                               0L, last));
  };
  for (int pass = 0; pass < 2; ++pass) {
    Density next = fine;
    for (std::size_t r = 0; r < fine.rows; ++r) {
      for (std::size_t c = 0; c < fine.columns; ++c) {
        double sum = 0;
        for (std::size_t k = 0; k < kKernel.size(); ++k) {
          sum += kKernel[k] * (pass == 0 ? cell(fine, r, mirrored(c, k, fine.columns))
                                         : cell(fine, mirrored(r, k, fine.rows), c));
        }
        next.counts[r * fine.columns + c] = sum;
      }
    }
    fine = std::move(next);
  }
  return fine;
}

/// The density from which on cells have the darkest shade: a few crowded cells (unanimous examples)
/// must not leave the rest invisible.
double darkest(const Density& density) {
  std::vector<double> counts;
  for (const double count : density.counts) {
    if (count > 0) counts.push_back(count);
  }
  if (counts.empty()) return 1;
  std::sort(counts.begin(), counts.end());
  return counts[(counts.size() - 1) * 98 / 100];
}

std::size_t shade_of(double count, double most) {
  const double share = std::sqrt(std::min(1.0, count / most));
  return static_cast<std::size_t>(std::floor(8 * share + 0.5));
}

/// One path per shade, runs of equal cells joined: small files, and no seams between cells.
void draw_density(Canvas& canvas, const Density& given, const Scale& x, const Scale& y) {
  const Density density = softened(given);
  std::array<std::string, kShades> paths;
  const double most = darkest(density);
  const double columns = static_cast<double>(density.columns);
  const double rows = static_cast<double>(density.rows);
  for (std::size_t r = 0; r < density.rows; ++r) {
    if (static_cast<double>(r) / rows >= y.to()) break;
    const double lower = y(static_cast<double>(r) / rows);
    const double upper = y(static_cast<double>(r + 1) / rows);
    for (std::size_t c = 0; c < density.columns;) {
      const std::size_t shade = shade_of(cell(density, r, c), most);
      std::size_t end = c + 1;
      while (end < density.columns && shade_of(cell(density, r, end), most) == shade) ++end;
      if (shade > 0) {
        const double left = x(static_cast<double>(c) / columns);
        const double right = x(static_cast<double>(end) / columns);
        paths[shade] += fmt::format("M{} {}H{}V{}H{}Z", number(left), number(upper), number(right),
                                    number(lower), number(left));
      }
      c = end;
    }
  }
  canvas.group("density", attribute("data-method", density.method));
  for (std::size_t s = 1; s < kShades; ++s) canvas.path(paths[s], fmt::format("f-cell f-d{}", s));
  canvas.end_group();
}

double draw_density_key(Canvas& canvas, Point at, double width, const Density& density,
                        double above) {
  const std::string low = "few", high = "many";
  canvas.text({at.x, at.y + 9}, low, {.size = 10, .classes = "f-muted"});
  double x = at.x + text_width(low, 10) + 4;
  for (std::size_t s = 1; s < kShades; ++s, x += 10) {
    canvas.rect({x, at.y, 10, 10}, fmt::format("f-cell f-d{}", s));
  }
  canvas.text({x + 4, at.y + 9}, high, {.size = 10, .classes = "f-muted"});
  x += 4 + text_width(high, 10) + 8;
  std::string words = fmt::format("examples under {} (smoothed, square-root scale)",
                                  shortened(density.method, 110, 10));
  if (above >= 0.0005) words += fmt::format("; {} lie above", percent(above));
  double y = at.y;
  for (const std::string& line : wrapped(words, at.x + width - x, 10)) {
    canvas.text({x, y + 9}, line, {.size = 10, .classes = "f-muted"});
    y += 13;
  }
  return std::max(y, at.y + 13) - at.y;
}

std::vector<NamedLine> lines_of(const std::vector<EntropyCurve>& curves) {
  std::vector<NamedLine> lines;
  for (const EntropyCurve& curve : curves) {
    NamedLine line{curve.method, {}};
    for (const EntropyPoint& p : curve.points) {
      const std::string interval =
          p.low && p.high ? fmt::format(" [{:.1f}, {:.1f}]", 100 * *p.low, 100 * *p.high) : "";
      line.points.push_back(
          {p.entropy, p.error, p.low, p.high,
           fmt::format("{}: entropy {:.2f}, error {}{}, {} examples", curve.method, p.entropy,
                       percent(p.error), interval, grouped_digits(p.count)),
           attribute("data-entropy", p.entropy) + attribute("data-error", p.error) +
               attribute("data-count", p.count)});
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace

std::string error_by_entropy(const std::vector<EntropyCurve>& curves,
                             const std::optional<Density>& density, const Caption& caption,
                             Frame frame) {
  const Reach ends = reach_of(curves, density);
  const std::vector<NamedLine> lines = lines_of(curves);
  const LabelRoom room = label_room(lines);
  const Box box{kEntropyLeft, kEntropyTop, kEntropyWidth, std::max(kEntropyHeight, room.height)};
  // Unanimous examples lie at 0: the axis keeps a little room for their markers.
  const Scale x = Scale::linear(0, ends.x, box.x + 10, box.right() - 6);
  const Scale y = Scale::linear(0, ends.y, box.bottom(), box.y);

  Canvas canvas(caption, frame);
  y_axis(canvas, box, y, round_ticks(0, ends.y, 5, true),
         {.grid = true, .title = "mean |confidence − agreement| (%)", .title_offset = 40});
  if (usable(density)) draw_density(canvas, *density, x, y);
  x_axis(canvas, box, x, round_ticks(0, ends.x, 8),
         {.title = "disagreement of annotators (entropy / its maximum)", .title_offset = 34});
  draw_lines(canvas, box, x, y, lines);
  double bottom = box.bottom() + 50;
  const double beside = lines.empty() ? 0 : kLabelGap + room.width;
  if (usable(density)) {
    bottom +=
        draw_density_key(canvas, {box.x, bottom}, box.width + beside, *density, ends.above) + 4;
  }
  if (has_whiskers(lines)) {
    canvas.text({box.x, bottom + 9}, "whiskers: interval of the mean",
                {.size = 10, .classes = "f-muted"});
    bottom += 17;
  }
  return canvas.finish(box.right() + (lines.empty() ? 16 : beside + 12), bottom + 2);
}

}  // namespace credence::figure
