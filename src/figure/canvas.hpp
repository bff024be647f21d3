// The drawing vocabulary and the SVG writer.
//
// Marks carry class names and the style sheet has the colours (figure/palette). Coordinates are
// absolute: nothing is moved by transforms, so that a script can read and redraw what is there.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "credence/figures.hpp"
#include "figure/scale.hpp"

namespace credence::figure {

/// What a phone shows beside the margins of a page.
inline constexpr double kPhoneWidth = 358.0;

enum class Anchor { start, middle, end };
struct TextLook {
  double size = 11.0;
  Anchor anchor = Anchor::start;
  std::string_view classes = "f-ink";  ///< f-ink, f-muted, f-b (bold), f-i
  double turned = 0.0;                 ///< degrees, around its own anchor
};

enum class Hatch { over, under };

/// How a line among others looks: no two of the first 40 are alike in grey either.
struct Series {
  std::size_t colour;     ///< 1..kSeries
  std::string_view dash;  ///< a stroke-dasharray, or empty
  std::size_t marker;     ///< see Canvas::marker
  bool hollow;
};
Series series(std::size_t index);

class Canvas {
 public:
  Canvas(const Caption& caption, Frame frame);

  /// `attributes` come from attribute(); every group is closed by end_group().
  void group(std::string_view classes, std::string_view attributes = {});
  void end_group();
  /// False on a phone, where nothing can be pointed at without touching it.
  bool has_pointer() const { return frame_ != Frame::phone; }
  /// What is shown while the pointer rests on the group around it.
  void tooltip(std::string_view text);

  void rect(const Box& box, std::string_view classes, std::string_view attributes = {});
  void line(Point from, Point to, std::string_view classes, std::string_view attributes = {});
  void path(std::string_view commands, std::string_view classes, std::string_view attributes = {});
  void polyline(const std::vector<Point>& points, std::string_view classes,
                std::string_view attributes = {});
  /// Closed: there along `upper`, back along `lower`.
  void area(const std::vector<Point>& upper, const std::vector<Point>& lower,
            std::string_view classes);
  /// 0 disc, 1 square, 2 triangle, 3 diamond, 4 triangle upside down, 5 cross.
  void marker(Point at, std::size_t shape, double radius, std::string_view classes,
              std::string_view attributes = {});
  void text(Point at, std::string_view content, const TextLook& look = {});
  /// Shortened to `width`; the whole text is then its tooltip.
  void text_within(Point at, std::string_view content, double width, const TextLook& look = {});
  /// A box filled with the pattern of over- or under-confidence.
  void hatched(const Box& box, Hatch hatch);
  /// The attribute that fills a mark of the classes "f-gap f-over" or "f-gap f-under" so.
  std::string fill_of(Hatch hatch);

  std::string finish(double width, double height);

 private:
  void define(Hatch hatch);

  Caption caption_;
  Frame frame_;
  std::string body_, definitions_;
  bool defined_[2] = {false, false};
};

}  // namespace credence::figure
