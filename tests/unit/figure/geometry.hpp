// Where marks and words of a figure lie.
#pragma once

#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "figure/scale.hpp"
#include "figure/text.hpp"
#include "svg_reader.hpp"

namespace credence::figure {

/// The corners of a path of absolute M, L, H, V and Z.
inline std::vector<Point> corners_of_path(const std::string& d) {
  std::vector<Point> points;
  Point at;
  const char* p = d.c_str();
  while (*p != 0) {
    const char command = *p++;
    char* end = nullptr;
    if (command == 'Z') continue;
    if (command != 'V') at.x = std::strtod(p, &end), p = end;
    if (command != 'H') at.y = std::strtod(p, &end), p = end;
    points.push_back(at);
  }
  return points;
}

inline std::vector<Point> turned_around(const std::vector<Point>& points, const Element& text) {
  if (!text.has("transform")) return points;
  double degrees = 0, x = 0, y = 0;
  if (std::sscanf(text.attributes.at("transform").c_str(), "rotate(%lf %lf %lf)", &degrees, &x,
                  &y) != 3) {
    throw std::runtime_error("a transform that is no turn");
  }
  const double radians = degrees * std::acos(-1.0) / 180, c = std::cos(radians),
               s = std::sin(radians);
  std::vector<Point> out;
  for (const Point& p : points) {
    out.push_back({x + c * (p.x - x) - s * (p.y - y), y + s * (p.x - x) + c * (p.y - y)});
  }
  return out;
}

/// The box around the letters, as wide as the widest of common fonts makes them.
inline std::vector<Point> corners_of_text(const Element& e) {
  const double size = e.number("font-size");
  const double width = text_width(e.text, size, e.of_class("f-b"));
  double left = e.number("x");
  if (e.has("text-anchor")) left -= e.attributes.at("text-anchor") == "end" ? width : width / 2;
  const double y = e.number("y"), top = y - 0.75 * size, bottom = y + 0.22 * size;
  return turned_around({{left, top}, {left + width, top}, {left + width, bottom}, {left, bottom}},
                       e);
}

inline std::vector<Point> corners(const Element& e) {
  if (e.name == "rect") {
    const double x = e.has("x") ? e.number("x") : 0, y = e.has("y") ? e.number("y") : 0;
    return {{x, y}, {x + e.number("width"), y + e.number("height")}};
  }
  if (e.name == "line") return {{e.number("x1"), e.number("y1")}, {e.number("x2"), e.number("y2")}};
  if (e.name == "circle") {
    const double r = e.number("r");
    return {{e.number("cx") - r, e.number("cy") - r}, {e.number("cx") + r, e.number("cy") + r}};
  }
  if (e.name == "path") return corners_of_path(e.attributes.at("d"));
  if (e.name == "text") return corners_of_text(e);
  return {};
}

inline Box around(const std::vector<Point>& points) {
  double left = points[0].x, right = left, top = points[0].y, bottom = top;
  for (const Point& p : points) {
    left = std::min(left, p.x), right = std::max(right, p.x);
    top = std::min(top, p.y), bottom = std::max(bottom, p.y);
  }
  return {left, top, right - left, bottom - top};
}

inline bool overlap(const Box& a, const Box& b, double slack) {
  return a.x + slack < b.right() && b.x + slack < a.right() && a.y + slack < b.bottom() &&
         b.y + slack < a.bottom();
}

}  // namespace credence::figure
