// From values to pixels, and the round numbers along an axis.
#pragma once

#include <string>
#include <vector>

namespace credence::figure {

struct Point {
  double x = 0.0, y = 0.0;
};
struct Box {
  double x = 0.0, y = 0.0, width = 0.0, height = 0.0;
  double right() const { return x + width; }
  double bottom() const { return y + height; }
};

/// A monotone map of [from, to] onto pixels; values outside are drawn at the ends.
class Scale {
 public:
  static Scale linear(double from, double to, double pixel_from, double pixel_to);
  /// Needs 0 < from < to.
  static Scale logarithmic(double from, double to, double pixel_from, double pixel_to);
  double operator()(double value) const;
  double from() const { return from_; }
  double to() const { return to_; }

 private:
  double from_ = 0.0, to_ = 1.0, pixel_from_ = 0.0, pixel_to_ = 1.0;
  bool log_ = false;
};

struct Tick {
  double value = 0.0;
  std::string label;
};

/// About `wanted` multiples of 1, 2 or 5 times a power of ten within [from, to]. Labels show
/// hundredths as whole numbers when `percent`.
std::vector<Tick> round_ticks(double from, double to, int wanted, bool percent = false);

/// [from, to] widened to whole steps of those ticks, so that an axis begins and ends at one.
struct Ends {
  double from = 0.0, to = 1.0;
};
Ends round_ends(double from, double to, int wanted);

/// Powers of ten within [from, to]; with 2 and 5 times them when they are few.
std::vector<Tick> log_ticks(double from, double to);

}  // namespace credence::figure
