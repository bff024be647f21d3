#include "figure/canvas.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "figure/palette.hpp"
#include "figure/svg.hpp"
#include "figure/text.hpp"

namespace credence::figure {
namespace {

std::string_view name_of(Hatch hatch) { return hatch == Hatch::over ? "over" : "under"; }

std::string classes_of(std::string_view classes) {
  return classes.empty() ? std::string() : attribute("class", classes);
}

std::string through(const std::vector<Point>& points) {
  std::string out;
  for (const Point& p : points) {
    out += fmt::format("{}{} {}", out.empty() ? 'M' : 'L', number(p.x), number(p.y));
  }
  return out;
}

std::string marker_path(Point at, std::size_t shape, double r) {
  const auto [x, y] = at;
  switch (shape) {
    case 1: {
      const double s = 0.86 * r;
      return through({{x - s, y - s}, {x + s, y - s}, {x + s, y + s}, {x - s, y + s}}) + "Z";
    }
    case 2:
      return through(
                 {{x, y - 1.15 * r}, {x + 1.05 * r, y + 0.75 * r}, {x - 1.05 * r, y + 0.75 * r}}) +
             "Z";
    case 3: {
      const double s = 1.2 * r;
      return through({{x, y - s}, {x + s, y}, {x, y + s}, {x - s, y}}) + "Z";
    }
    case 4:
      return through(
                 {{x, y + 1.15 * r}, {x + 1.05 * r, y - 0.75 * r}, {x - 1.05 * r, y - 0.75 * r}}) +
             "Z";
    default: {
      const double s = 0.85 * r;
      return through({{x - s, y - s}, {x + s, y + s}}) + through({{x - s, y + s}, {x + s, y - s}});
    }
  }
}

}  // namespace

Series series(std::size_t index) {
  constexpr std::array<std::string_view, 5> kDashes{"", "6 3", "2 3", "8 3 2 3", "4 2"};
  // Neighbours differ by colour, dash and marker at once; colours come round after 8, the pair of
  // dash and marker only after 30.
  return {index % kSeries + 1, kDashes[index % kDashes.size()], index % 6, (index / 6) % 2 == 1};
}

Canvas::Canvas(const Caption& caption, Frame frame) : caption_(caption), frame_(frame) {}

void Canvas::group(std::string_view classes, std::string_view attributes) {
  body_ += fmt::format("<g{}{}>", classes_of(classes), attributes);
}
void Canvas::end_group() { body_ += "</g>\n"; }

void Canvas::tooltip(std::string_view text) {
  if (!has_pointer()) return;
  body_ += fmt::format("<title>{}</title>", escaped(text));
}

void Canvas::rect(const Box& box, std::string_view classes, std::string_view attributes) {
  body_ += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"{}{}/>\n", number(box.x),
                       number(box.y), number(box.width), number(box.height), classes_of(classes),
                       attributes);
}

void Canvas::line(Point from, Point to, std::string_view classes, std::string_view attributes) {
  body_ += fmt::format("<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"{}{}/>\n", number(from.x),
                       number(from.y), number(to.x), number(to.y), classes_of(classes), attributes);
}

void Canvas::path(std::string_view commands, std::string_view classes,
                  std::string_view attributes) {
  if (commands.empty()) return;
  body_ += fmt::format("<path d=\"{}\"{}{}/>\n", commands, classes_of(classes), attributes);
}

void Canvas::polyline(const std::vector<Point>& points, std::string_view classes,
                      std::string_view attributes) {
  if (points.size() > 1) path(through(points), classes, attributes);
}

void Canvas::area(const std::vector<Point>& upper, const std::vector<Point>& lower,
                  std::string_view classes) {
  std::vector<Point> around = upper;
  around.insert(around.end(), lower.rbegin(), lower.rend());
  if (around.size() > 2) path(through(around) + "Z", classes);
}

void Canvas::marker(Point at, std::size_t shape, double radius, std::string_view classes,
                    std::string_view attributes) {
  if (shape % 6 == 0) {
    body_ += fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"{}\"{}{}/>\n", number(at.x), number(at.y),
                         number(radius), classes_of(classes), attributes);
  } else {
    path(marker_path(at, shape % 6, radius), classes, attributes);
  }
}

void Canvas::text(Point at, std::string_view content, const TextLook& look) {
  std::string more = attribute("font-size", look.size);
  if (look.anchor != Anchor::start) {
    more += attribute("text-anchor", look.anchor == Anchor::middle ? "middle" : "end");
  }
  if (look.turned != 0.0) {
    more += fmt::format(" transform=\"rotate({} {} {})\"", number(look.turned), number(at.x),
                        number(at.y));
  }
  body_ += fmt::format("<text x=\"{}\" y=\"{}\"{}{}>{}</text>\n", number(at.x), number(at.y),
                       classes_of(look.classes), more, escaped(content));
}

void Canvas::text_within(Point at, std::string_view content, double width, const TextLook& look) {
  const bool bold = look.classes.find("f-b") != std::string_view::npos;
  const std::string shown = shortened(content, width, look.size, bold);
  if (shown == content) return text(at, content, look);
  group("");
  tooltip(content);
  text(at, shown, look);
  end_group();
}

void Canvas::define(Hatch hatch) {
  bool& done = defined_[hatch == Hatch::over ? 0 : 1];
  if (done) return;
  done = true;
  // Over-confidence leans one way and is dense; under-confidence is dotted: two textures that stay
  // apart without colour.
  const std::string_view marks =
      hatch == Hatch::over
          ? R"(<path d="M-1 1L1 -1M0 6L6 0M5 7L7 5" class="f-over" stroke-width="1.5"/>)"
          : R"(<circle cx="1.5" cy="1.5" r="1" class="f-dots"/>)"
            R"(<circle cx="4.5" cy="4.5" r="1" class="f-dots"/>)";
  definitions_ += fmt::format(
      "<pattern id=\"{0}-{1}\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\">"
      "<rect width=\"6\" height=\"6\" class=\"f-{1} f-tint\"/>{2}</pattern>\n",
      escaped(caption_.id), name_of(hatch), marks);
}

void Canvas::hatched(const Box& box, Hatch hatch) {
  rect(box, fmt::format("f-gap f-{}", name_of(hatch)), fill_of(hatch));
}

std::string Canvas::fill_of(Hatch hatch) {
  define(hatch);
  return fmt::format(" fill=\"url(#{}-{})\"", escaped(caption_.id), name_of(hatch));
}

std::string Canvas::finish(double width, double height) {
  const std::string id = escaped(caption_.id);
  std::string out = "<svg";
  if (frame_ == Frame::file) out += " xmlns=\"http://www.w3.org/2000/svg\"";
  out += fmt::format(" id=\"{0}\" class=\"credence-figure\" viewBox=\"0 0 {1} {2}\"", id,
                     number(width), number(height));
  // In a page the figure takes the width it is given, but its letters never outgrow the page's.
  out += frame_ == Frame::file
             ? fmt::format(" width=\"{}\" height=\"{}\"", number(width), number(height))
             : fmt::format(" style=\"max-width:{}px\"", number(std::ceil(width * 1.1)));
  out += fmt::format(
      " role=\"img\" aria-labelledby=\"{0}-title {0}-description\">\n"
      "<title id=\"{0}-title\">{1}</title>\n<desc id=\"{0}-description\">{2}</desc>\n",
      id, escaped(caption_.title), escaped(caption_.description));
  if (frame_ == Frame::file) out += "<style>\n" + file_style() + "</style>\n";
  if (!definitions_.empty()) out += "<defs>\n" + definitions_ + "</defs>\n";
  if (frame_ == Frame::file) {
    out += fmt::format("<rect width=\"{}\" height=\"{}\" class=\"f-paper\"/>\n", number(width),
                       number(height));
  }
  return out + body_ + "</svg>\n";
}

}  // namespace credence::figure
