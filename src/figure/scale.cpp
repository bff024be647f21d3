#include "figure/scale.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "figure/text.hpp"

namespace credence::figure {
namespace {

/// 10 to a whole power, exactly rounded on every machine within the range that axes have.
double power_of_ten(int exponent) {
  double value = 1.0;
  for (int i = 0; i < std::abs(exponent); ++i) value *= 10.0;
  return exponent < 0 ? 1.0 / value : value;
}

/// True when the range can be cut into round steps: neither it nor its steps leave float64.
bool has_steps(double from, double to) {
  constexpr double kMost = 1e290;
  return to - from < kMost && to - from > 1.0 / kMost;
}

int exponent_of(double value) { return static_cast<int>(std::floor(std::log10(value))); }

std::string plain(double value, int decimals) {
  const std::string text = fmt::format("{:.{}f}", value, decimals);
  const bool zero = text.find_first_of("123456789") == std::string::npos;
  return zero ? "0" : text;
}

struct Step {
  int digit, exponent;
  double size() const { return digit * power_of_ten(exponent); }
};

Step step_of(double from, double to, int wanted) {
  const double rough = (to - from) / std::max(wanted, 1);
  const int exponent = exponent_of(rough);
  const double mantissa = rough / power_of_ten(exponent);
  if (mantissa >= 7.5) return {1, exponent + 1};
  return {mantissa < 1.5 ? 1 : mantissa < 3.5 ? 2 : 5, exponent};
}

}  // namespace

Scale Scale::linear(double from, double to, double pixel_from, double pixel_to) {
  Scale scale;
  scale.from_ = from;
  scale.to_ = to > from ? to : from + 1.0;
  scale.pixel_from_ = pixel_from;
  scale.pixel_to_ = pixel_to;
  return scale;
}

Scale Scale::logarithmic(double from, double to, double pixel_from, double pixel_to) {
  Scale scale = linear(from, to, pixel_from, pixel_to);
  scale.log_ = true;
  return scale;
}

double Scale::operator()(double value) const {
  const double inside = std::clamp(value, from_, to_);
  const double share =
      log_ ? std::log(inside / from_) / std::log(to_ / from_) : (inside - from_) / (to_ - from_);
  return pixel_from_ + share * (pixel_to_ - pixel_from_);
}

std::vector<Tick> round_ticks(double from, double to, int wanted, bool percent) {
  const double unit = percent ? 100.0 : 1.0;
  const double low = from * unit, high = to * unit;
  if (!(high > low)) return {{from, plain(low, 2)}};
  if (!has_steps(low, high)) {
    return {{from, fmt::format("{:.3g}", low)}, {to, fmt::format("{:.3g}", high)}};
  }
  const Step of = step_of(low, high, wanted);
  const double step = of.size();
  const double slack = 1e-9 * (high - low);
  std::vector<Tick> ticks;
  for (auto i = static_cast<long>(std::ceil((low - slack) / step));; ++i) {
    const double value = static_cast<double>(i) * step;
    if (value > high + slack) break;
    // Counts grow long; everything else keeps the decimals that its step needs.
    const std::string label =
        std::abs(step) >= 1000 ? compact_count(value) : plain(value, std::max(0, -of.exponent));
    ticks.push_back({value / unit, label});
  }
  return ticks;
}

Ends round_ends(double from, double to, int wanted) {
  if (!(to > from)) return {from, from + 1.0};
  Ends ends{from, to};
  if (!has_steps(from, to)) return ends;
  // Widening can lengthen the step, which asks for a little more; it settles at once or twice.
  for (int i = 0; i < 3; ++i) {
    const double step = step_of(ends.from, ends.to, wanted).size();
    const double slack = 1e-9 * (to - from);
    ends = {std::floor((from + slack) / step) * step, std::ceil((to - slack) / step) * step};
  }
  return ends;
}

std::vector<Tick> log_ticks(double from, double to) {
  const auto collect = [&](std::initializer_list<double> digits) {
    std::vector<Tick> ticks;
    for (int e = exponent_of(from) - 1; e <= exponent_of(to) + 1; ++e) {
      for (const double digit : digits) {
        const double value = digit * power_of_ten(e);
        if (value < from * (1 - 1e-9) || value > to * (1 + 1e-9)) continue;
        ticks.push_back({value, compact_count(value)});
      }
    }
    return ticks;
  };
  std::vector<Tick> ticks = collect({1.0});
  if (ticks.size() < 3) ticks = collect({1.0, 2.0, 5.0});
  return ticks;
}

}  // namespace credence::figure
