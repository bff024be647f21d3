// Small random problems for the tests of metrics.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "core/random.hpp"
#include "credence/dataset.hpp"
#include "credence/metrics.hpp"

namespace credence::samples {

struct Problem {
  Matrix<double> p, counts;
  Votes votes() const { return Votes::from_counts(counts.view()); }
  Evaluation evaluate(MetricOptions options = {}) const {
    return credence::evaluate(p.view(), votes(), options);
  }
};

/// Probabilities of a sharpened random softmax; `voters` votes a row, drawn from a blend of them
/// and the uniform distribution.
inline Problem problem(std::uint64_t seed, std::size_t n, std::size_t classes, int voters) {
  Problem result{Matrix<double>(n, classes), Matrix<double>(n, classes)};
  for (std::size_t i = 0; i < n; ++i) {
    double sum = 0.0;
    for (std::size_t k = 0; k < classes; ++k) {
      sum += result.p(i, k) = std::exp(6.0 * core::uniform(seed, i, k));
    }
    for (std::size_t k = 0; k < classes; ++k) result.p(i, k) /= sum;
    for (int v = 0; v < voters; ++v) {
      const auto draw = static_cast<std::uint64_t>(v);
      double u = core::uniform(seed + 1, i, draw);
      std::size_t k = 0;
      while (k + 1 < classes) {
        const double share = 0.7 * result.p(i, k) + 0.3 / static_cast<double>(classes);
        if (u < share) break;
        u -= share;
        ++k;
      }
      result.counts(i, k) += 1.0;
    }
  }
  return result;
}

}  // namespace credence::samples
