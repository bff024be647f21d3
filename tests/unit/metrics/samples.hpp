// Small random problems for the tests of metrics.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "core/random.hpp"
#include "credence/dataset.hpp"
#include "credence/evaluate.hpp"

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

inline void expect_same_bits(const Evaluation& found, const Evaluation& wanted) {
  ASSERT_EQ(found.rows, wanted.rows);
  EXPECT_EQ(found.classes, wanted.classes);
  EXPECT_EQ(found.infinite_nll_rows, wanted.infinite_nll_rows);
  EXPECT_EQ(found.repeated_rows, wanted.repeated_rows);
  EXPECT_EQ(found.ece_by_chance, wanted.ece_by_chance);
  ASSERT_EQ(found.metrics.size(), wanted.metrics.size());
  for (std::size_t i = 0; i < found.metrics.size(); ++i) {
    EXPECT_EQ(found.metrics[i].value, wanted.metrics[i].value) << found.metrics[i].name;
    EXPECT_EQ(found.metrics[i].monte_carlo_error, wanted.metrics[i].monte_carlo_error);
  }
  ASSERT_EQ(found.reliability.size(), wanted.reliability.size());
  for (std::size_t b = 0; b < found.reliability.size(); ++b) {
    EXPECT_EQ(found.reliability[b].count, wanted.reliability[b].count);
    EXPECT_EQ(found.reliability[b].confidence, wanted.reliability[b].confidence);
    EXPECT_EQ(found.reliability[b].agreement, wanted.reliability[b].agreement);
  }
  ASSERT_EQ(found.pointwise_by_entropy.size(), wanted.pointwise_by_entropy.size());
  for (std::size_t b = 0; b < found.pointwise_by_entropy.size(); ++b) {
    EXPECT_EQ(found.pointwise_by_entropy[b].error, wanted.pointwise_by_entropy[b].error);
  }
}

}  // namespace credence::samples
