// Small data sets for tests: scores that say something about the votes, votes that disagree.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "core/random.hpp"
#include "credence/dataset.hpp"

namespace credence::testing_data {

/// A model that is over-confident by `sharpness` about annotators who disagree.
struct Synthetic {
  Matrix<float> scores;
  Matrix<double> counts;
  Dataset data;
};

inline double normal(std::uint64_t seed, std::uint64_t row, std::uint64_t s) {
  const double u = 1.0 - core::uniform(seed, row, 2 * s), v = core::uniform(seed, row, 2 * s + 1);
  return std::sqrt(-2.0 * std::log(u)) * std::cos(6.283185307179586 * v);
}

inline Synthetic make_synthetic(std::size_t rows, std::size_t classes, int votes_per_row = 7,
                                double sharpness = 2.5, std::uint64_t seed = 1) {
  Synthetic out{Matrix<float>(rows, classes), Matrix<double>(rows, classes), {}};
  for (std::size_t i = 0; i < rows; ++i) {
    std::vector<double> truth(classes);
    double sum = 0.0;
    for (std::size_t k = 0; k < classes; ++k) {
      const double logit = 1.5 * normal(seed, i, k);
      const double noise = 0.7 * normal(seed + 1, i, k);
      out.scores(i, k) = static_cast<float>(sharpness * (logit + noise));
      truth[k] = std::exp(logit);
      sum += truth[k];
    }
    for (int s = 0; s < votes_per_row; ++s) {
      double left = core::uniform(seed + 2, i, static_cast<std::uint64_t>(s)) * sum;
      std::size_t k = 0;
      while (k + 1 < classes && left >= truth[k]) left -= truth[k++];
      out.counts(i, k) += 1.0;
    }
  }
  // Selecting copies the scores, so that `data` may outlive the rest.
  std::vector<std::size_t> all(rows);
  std::iota(all.begin(), all.end(), std::size_t{0});
  out.data =
      make_dataset(out.scores.view(), ScoreKind::logits, Votes::from_counts(out.counts.view()))
          .select(all);
  return out;
}

}  // namespace credence::testing_data
