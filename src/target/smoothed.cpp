#include "target/smoothed.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/exp_log.hpp"
#include "core/kernels.hpp"
#include "credence/error.hpp"

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

/// Whether a rule averages the model's doubt over all rows, and how many averages that gives.
std::size_t averages(const Smoothed& spec, std::size_t classes) {
  switch (spec.rule) {
    case Epsilon::mean_complement:
      return 1;
    case Epsilon::class_complement:
      return classes;
    default:
      return 0;
  }
}

std::vector<double> prediction_entropy(Scores scores) {
  std::vector<double> epsilon(scores.rows());
  const double most = core::log_positive(static_cast<double>(scores.cols()));
  for_each_prediction(scores, [&](std::size_t i, std::span<const double> p, double lse) {
    double entropy = 0.0;
    const auto z = scores.row(i);
    for (std::size_t k = 0; k < p.size(); ++k) {
      // Where p underflowed its logarithm may be huge, but p log p is still nothing.
      if (p[k] > 1e-300) entropy += p[k] * (lse - static_cast<double>(z[k]));
    }
    epsilon[i] = std::min(1.0, entropy / most);
  });
  return epsilon;
}

}  // namespace

std::string_view About<Smoothed>::name(const Smoothed& target) {
  switch (target.rule) {
    case Epsilon::mean_complement:
      return "smoothed-mean";
    case Epsilon::class_complement:
      return "smoothed-class";
    case Epsilon::prediction_entropy:
      return "smoothed-entropy";
    case Epsilon::fixed:
      return "smoothed-fixed";
  }
  return {};
}

std::string_view About<Smoothed>::meaning(const Smoothed& target) {
  switch (target.rule) {
    case Epsilon::mean_complement:
      return "the majority label, smoothed by the model's mean doubt about it";
    case Epsilon::class_complement:
      return "the majority label, smoothed by the model's mean doubt about its class";
    case Epsilon::prediction_entropy:
      return "the majority label, smoothed by the entropy of the prediction";
    case Epsilon::fixed:
      return "the majority label, smoothed by a fixed weight (‹epsilon›, 0.1)";
  }
  return {};
}

std::size_t About<Smoothed>::doubt_sums(const Smoothed& spec, std::size_t classes) {
  return 2 * averages(spec, classes);
}

/// Two numbers per average: the sum of 1 - p[y*] and how many rows are in it.
void About<Smoothed>::add_doubt(const Smoothed& spec, const RowsView& rows, double* sums) {
  const bool by_class = spec.rule == Epsilon::class_complement;
  for_each_prediction(rows.scores, [&](std::size_t i, std::span<const double> p, double) {
    const std::uint32_t y = rows.voted(i);
    double* const pair = sums + (by_class ? 2 * y : 0);
    pair[0] += complement(p, y);
    pair[1] += 1.0;
  });
}

std::vector<double> About<Smoothed>::epsilon_of(const Smoothed& spec, std::span<const double> sums,
                                                std::size_t rows) {
  std::vector<double> epsilon(sums.size() / 2, 0.0);
  for (std::size_t k = 0; k < epsilon.size(); ++k) {
    const double count =
        spec.rule == Epsilon::mean_complement ? static_cast<double>(rows) : sums[2 * k + 1];
    if (count > 0.0) epsilon[k] = sums[2 * k] / count;
  }
  return epsilon;
}

Targets About<Smoothed>::of_rows(const Smoothed& spec, const RowsView& rows,
                                 const Sources& sources) {
  const std::span<const double> epsilon = sources.epsilon;
  if (!(spec.fixed >= 0.0 && spec.fixed <= 1.0)) {
    throw Error(ErrorCode::usage,
                "the smoothing weight must lie in [0, 1], got " + std::to_string(spec.fixed));
  }
  const std::size_t count = rows.scores.rows();
  std::vector<double> weights;
  if (spec.rule == Epsilon::prediction_entropy) {
    weights = prediction_entropy(rows.scores);
  } else {
    weights.resize(count, spec.fixed);
    for (std::size_t i = 0; i < count && !epsilon.empty(); ++i) {
      weights[i] = epsilon[epsilon.size() == 1 ? 0 : rows.voted(i)];
    }
  }
  Targets out;
  out.reserve(count, count);
  for (std::size_t i = 0; i < count; ++i) out.push_one(rows.voted(i), 1.0 - weights[i]);
  out.set_uniform(std::move(weights));
  return out;
}

}  // namespace credence::target
