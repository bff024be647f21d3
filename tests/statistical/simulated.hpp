// Data whose truth is known, for claims about what happens over many repetitions.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/random.hpp"
#include "credence/dataset.hpp"
#include "credence/evaluate.hpp"

namespace credence::simulated {

/// Annotators answer by softmax(z) with z normal; the model says softmax(sharpness * z + noise).
/// A sharpness above 1 makes it over-confident, so that its calibration error is large against the
/// chance in it: binned errors are biased upwards where the two are of one size.
struct World {
  std::size_t classes = 3;
  int votes = 5;
  double sharpness = 2.5;
  double noise = 0.5;
  double spread = 1.2;  ///< of z
  /// Examples of a group share this part of the variance of z.
  double shared = 0.0;
  std::size_t group_size = 1;
};

struct Sample {
  Matrix<double> p, truth, counts;
  std::vector<std::uint32_t> groups;
  Votes votes() const { return Votes::from_counts(counts.view()); }
};

inline double normal(std::uint64_t seed, std::uint64_t row, std::uint64_t s) {
  const double u = 1.0 - core::uniform(seed, row, 2 * s), v = core::uniform(seed, row, 2 * s + 1);
  return std::sqrt(-2.0 * std::log(u)) * std::cos(6.283185307179586 * v);
}

inline void softmax(std::span<double> z) {
  double sum = 0.0;
  for (double& x : z) sum += x = std::exp(x);
  for (double& x : z) x /= sum;
}

/// The rows of repetition `seed`; `model` chooses the noise of the model, for paired comparisons.
inline Sample draw(const World& world, std::size_t rows, std::uint64_t seed,
                   std::uint64_t model = 0) {
  const std::size_t k_count = world.classes;
  Sample sample{Matrix<double>(rows, k_count), Matrix<double>(rows, k_count),
                Matrix<double>(rows, k_count), std::vector<std::uint32_t>(rows)};
  const double common = std::sqrt(world.shared), own = std::sqrt(1.0 - world.shared);
  for (std::size_t i = 0; i < rows; ++i) {
    const std::size_t group = i / world.group_size;
    sample.groups[i] = static_cast<std::uint32_t>(group);
    const auto truth = sample.truth.row(i), p = sample.p.row(i);
    for (std::size_t k = 0; k < k_count; ++k) {
      const double z = world.spread * (common * normal(core::mix64(seed) + 1, group, k) +
                                       own * normal(core::mix64(seed) + 2, i, k));
      truth[k] = z;
      p[k] = world.sharpness * z + world.noise * normal(core::mix64(seed) + 3 + 16 * model, i, k);
    }
    softmax(truth);
    softmax(p);
    for (int v = 0; v < world.votes; ++v) {
      double u = core::uniform(core::mix64(seed) + 4, i, static_cast<std::uint64_t>(v));
      std::size_t k = 0;
      while (k + 1 < k_count && u >= truth[k]) u -= truth[k++];
      sample.counts(i, k) += 1.0;
    }
  }
  return sample;
}

}  // namespace credence::simulated
