// The value of a metric.
#pragma once

#include <optional>

namespace credence::metrics {

struct Point {
  std::optional<double> value = {};
  std::optional<double> monte_carlo_error = {};
};

}  // namespace credence::metrics
