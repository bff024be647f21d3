// What is refused before anything is scored.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>

#include "credence/metrics.hpp"

namespace credence::metrics {

/// Row sums may be off by this much, as in check_scores: float16 and printed probabilities are.
inline constexpr double kSumTolerance = 1e-3;

[[noreturn]] void refuse_value(std::size_t row, std::size_t column, double value);
[[noreturn]] void refuse_sum(std::size_t row, double sum);

void check_options(const Votes& votes, const MetricOptions& options);
/// That these rows can follow the first `done` rows of the votes.
void check_shape(Rows probabilities, std::size_t done, const Votes& votes);
void check_complete(std::size_t done, const Votes& votes);

/// Either none, or for each of these rows a positive concentration and a probability.
void check_certainties(Rows certainties, std::size_t rows, bool wanted);

/// Probabilities: none outside [0, 1], and they add up to 1.
inline void check_row(std::span<const double> p, std::size_t row) {
  double sum = 0.0;
  bool inside = true;
  for (const double x : p) {
    inside &= x >= 0.0 && x <= 1.0 + kSumTolerance;
    sum += x;
  }
  if (!inside) [[unlikely]] {
    for (std::size_t k = 0; k < p.size(); ++k) {
      if (!(p[k] >= 0.0 && p[k] <= 1.0 + kSumTolerance)) refuse_value(row, k, p[k]);
    }
  }
  if (std::abs(sum - 1.0) > kSumTolerance) refuse_sum(row, sum);
}

}  // namespace credence::metrics
