#include "map/reach.hpp"

#include <algorithm>
#include <cfloat>
#include <cmath>

#include "core/overloaded.hpp"

namespace credence::map {
namespace {

double largest(Params values) {
  double most = 0.0;
  for (const double value : values) most = std::max(most, std::abs(value));
  return most;
}

/// A bound on what the stage makes of numbers up to `in`; infinite when it can overflow.
double reach(const Stage& stage, std::size_t classes, double in) {
  const Params theta = stage.theta;
  return std::visit(
      core::Overloaded{
          [&](const Identity&) { return in; },
          [&](const Temperature&) { return largest(theta) * in; },
          [&](const ClassTemperatures&) { return largest(theta) * in; },
          [&](const DiagonalAffine&) {
            return largest(theta.first(classes)) * in + largest(theta.last(classes));
          },
          [&](const MatrixAffine&) {
            return static_cast<double>(classes) * largest(theta.first(classes * classes)) * in +
                   largest(theta.last(classes));
          },
          [&](const AdaptiveTemperature&) {
            // Four features of at most `in` and a constant; temperatures are at least 0.1.
            return std::isfinite(5.0 * largest(theta) * in) ? 10.0 * in : HUGE_VAL;
          },
          // Logarithms of probabilities, cut off at the smallest normal float32.
          [&](const TopLabelIsotonic&) { return -std::log(static_cast<double>(FLT_MIN)); },
          [&](const TopLabelHistogram&) { return -std::log(static_cast<double>(FLT_MIN)); },
      },
      stage.map);
}

}  // namespace

std::size_t first_overflow(std::span<const Stage> stages, Gauge gauge, std::size_t classes) {
  const double log_classes = std::log(static_cast<double>(classes));
  // A log-softmax is a difference of two entries and log K at most.
  double in = gauge == Gauge::raw ? FLT_MAX : 2.0 * FLT_MAX + log_classes;
  for (std::size_t s = 0; s < stages.size(); ++s) {
    in = 2.0 * reach(stages[s], classes, in) + log_classes;
    if (!std::isfinite(in)) return s;
  }
  return stages.size();
}

}  // namespace credence::map
