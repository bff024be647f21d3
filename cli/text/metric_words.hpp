// Metrics in words, shared by the verbs that print them.
#pragma once

#include <algorithm>
#include <string_view>

#include "credence/metrics.hpp"

namespace credence::cli {

/// "-" for what is neither good nor bad.
inline std::string_view better(Direction direction) {
  return direction == Direction::neither ? "-" : to_string(direction);
}

/// The catalogue's row of a metric that an evaluation reported.
inline const Metric& catalogued(std::string_view name) {
  const std::span<const Metric> catalogue = metric_table();
  return *std::find_if(catalogue.begin(), catalogue.end(),
                       [&](const Metric& m) { return m.name == name; });
}

}  // namespace credence::cli
