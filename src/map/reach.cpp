#include "map/reach.hpp"

#include <cfloat>
#include <cmath>

#include "map/about.hpp"

namespace credence::map {
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
