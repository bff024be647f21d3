#include <algorithm>
#include <cmath>
#include <vector>

#include "core/kernels.hpp"
#include "credence/error.hpp"
#include "target/target_builders.hpp"

namespace credence::target {
namespace {

constexpr std::size_t kRowsAtATime = 1024;

/// Calls use(row, probabilities, log-sum-exp) with the uncalibrated model's prediction of every
/// row.
template <class Use>
void for_each_prediction(Scores scores, const Use& use) {
  const std::size_t classes = scores.cols();
  const std::size_t step = std::max<std::size_t>(1, std::min(kRowsAtATime, (1u << 20) / classes));
  std::vector<double> p(step * classes), lse(step);
  for (std::size_t first = 0; first < scores.rows(); first += step) {
    const std::size_t rows = std::min(step, scores.rows() - first);
    const float* z = scores.row(first).data();
    core::kernels().softmax_f64(z, rows, classes, 1.0, p.data());
    core::kernels().log_sum_exp(z, rows, classes, lse.data());
    for (std::size_t r = 0; r < rows; ++r) {
      use(first + r, std::span<const double>(p.data() + r * classes, classes), lse[r]);
    }
  }
}

/// 1 - p[y], summed over the other classes so that it keeps its digits when p[y] is near 1.
double complement(std::span<const double> p, std::uint32_t y) {
  double rest = 0.0;
  for (std::size_t k = 0; k < p.size(); ++k) {
    if (k != y) rest += p[k];
  }
  return rest;
}

std::vector<double> mean_complement(const Dataset& data) {
  double sum = 0.0;
  for_each_prediction(data.scores, [&](std::size_t i, std::span<const double> p, double) {
    sum += complement(p, data.votes.voted(i));
  });
  return std::vector<double>(data.rows(), sum / static_cast<double>(data.rows()));
}

std::vector<double> class_complement(const Dataset& data) {
  std::vector<double> sum(data.classes_count()), count(data.classes_count());
  for_each_prediction(data.scores, [&](std::size_t i, std::span<const double> p, double) {
    const std::uint32_t y = data.votes.voted(i);
    sum[y] += complement(p, y);
    count[y] += 1.0;
  });
  std::vector<double> epsilon(data.rows());
  for (std::size_t i = 0; i < data.rows(); ++i) {
    const std::uint32_t y = data.votes.voted(i);
    epsilon[i] = sum[y] / count[y];
  }
  return epsilon;
}

std::vector<double> prediction_entropy(const Dataset& data) {
  std::vector<double> epsilon(data.rows());
  const double most = std::log(static_cast<double>(data.classes_count()));
  for_each_prediction(data.scores, [&](std::size_t i, std::span<const double> p, double lse) {
    double entropy = 0.0;
    const auto z = data.scores.row(i);
    for (std::size_t k = 0; k < p.size(); ++k) {
      // Where p underflowed its logarithm may be huge, but p log p is still nothing.
      if (p[k] > 1e-300) entropy += p[k] * (lse - static_cast<double>(z[k]));
    }
    epsilon[i] = std::min(1.0, entropy / most);
  });
  return epsilon;
}

std::vector<double> epsilon_per_row(const Smoothed& spec, const Dataset& data) {
  switch (spec.rule) {
    case Epsilon::mean_complement:
      return mean_complement(data);
    case Epsilon::class_complement:
      return class_complement(data);
    case Epsilon::prediction_entropy:
      return prediction_entropy(data);
    case Epsilon::fixed:
      break;
  }
  if (!(spec.fixed >= 0.0 && spec.fixed <= 1.0)) {
    throw Error(ErrorCode::usage,
                "the smoothing weight must lie in [0, 1], got " + std::to_string(spec.fixed));
  }
  return std::vector<double>(data.rows(), spec.fixed);
}

}  // namespace

Targets smoothed(const Smoothed& spec, const Dataset& data) {
  std::vector<double> epsilon = epsilon_per_row(spec, data);
  Targets out;
  out.reserve(data.rows(), data.rows());
  for (std::size_t i = 0; i < data.rows(); ++i) {
    out.push_one(data.votes.voted(i), 1.0 - epsilon[i]);
  }
  out.set_uniform(std::move(epsilon));
  return out;
}

}  // namespace credence::target
