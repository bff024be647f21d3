#include "fit/channel/channel_fit.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "core/kernels.hpp"
#include "fit/channel/channel_curvature.hpp"
#include "fit/search/dense.hpp"
#include "fit/search/quasi_newton.hpp"
#include "fit/search/steered_search.hpp"
#include "map/all_maps.hpp"

namespace credence::fit_detail {
namespace {

/// The fit ends where the next step promises to gain no more than this, far less than held-out rows
/// could show, or where no component of the gradient is above the other.
constexpr double kLeastGain = 1e-9;
constexpr double kChannelGradient = 1e-7;
/// What a step must gain where the gradient need not be small, per unit of its tolerance.
constexpr double kGainPerGradient = 0.01;
/// With so many rows a step must gain this much of the log-likelihood of all of them, or that much
/// in a fit that serves a comparison alone: errors of the parameters cost half a unit for each.
constexpr std::size_t kManyChannelRows = 16384;
constexpr double kLeastOfAll = 1e-3, kLeastOfAllLoosely = 1e-2;

double least_gain(const Problem& problem) {
  const double tolerance = problem.options->gradient_tolerance;
  const double least = std::max(kLeastGain, kGainPerGradient * tolerance);
  const std::size_t rows = problem.penalty_rows();
  if (rows < kManyChannelRows) return least;
  const double of_all = tolerance >= kLooseTolerance ? kLeastOfAllLoosely : kLeastOfAll;
  return std::max(least, of_all / static_cast<double>(rows));
}
constexpr int kMostSteps = 300;

/// The loss over x = [W, c, L] with C = softmax of each row of L.
class ChannelObjective {
 public:
  ChannelObjective(const Problem& problem, std::size_t front)
      : joint_(problem),
        front_(front),
        classes_(problem.classes),
        prior_(map::kChannelPrior / static_cast<double>(problem.penalty_rows())) {}

  int passes() const { return joint_.passes(); }
  double prior() const { return prior_; }

  /// [W, c, C], as the map has it.
  std::vector<double> theta(const std::vector<double>& x) const {
    std::vector<double> out = x;
    for (std::size_t j = 0; j < classes_; ++j) {
      const std::size_t row = front_ + j * classes_;
      core::kernels().softmax_row_f64(&x[row], classes_, &out[row]);
    }
    return out;
  }

  core::Task<Derivatives> evaluate(const std::vector<double>& x, bool fast) {
    const std::vector<double> at = theta(x);
    core::Task<Derivatives> asked =
        fast ? joint_.evaluate_fast(at, false) : joint_.evaluate(at, false);
    Derivatives out = co_await std::move(asked);
    std::vector<double> logs(at.begin() + static_cast<std::ptrdiff_t>(front_), at.end());
    core::kernels().f64.log_positive(logs.data(), logs.size());
    for (std::size_t j = 0; j < classes_; ++j) {
      const double* const c = &at[front_ + j * classes_];
      double* const g = &out.gradient[front_ + j * classes_];
      double mean = 0.0;
      for (std::size_t k = 0; k < classes_; ++k) mean += c[k] * g[k];
      for (std::size_t k = 0; k < classes_; ++k) {
        const double usual = map::usual_channel(j, k, classes_);
        g[k] = c[k] * (g[k] - mean) + prior_ * (c[k] - usual);
        out.loss -= prior_ * usual * logs[j * classes_ + k];
      }
    }
    co_return out;
  }

 private:
  Objective joint_;
  std::size_t front_, classes_;
  double prior_;
};

/// By the curvature of a sample and passes in float32, where rows are many.
core::Task<Minimum> fit_channel_steered(const Problem& problem, ChannelObjective& objective,
                                        std::vector<double> x, const QuasiNewtonOptions& limits) {
  std::shared_ptr<const FitCurvature> curvature = problem.options->start_curvature;
  if (!curvature || curvature->parameters != x.size()) {
    curvature = co_await channel_curvature(problem, objective.theta(x), objective.prior());
  }
  const Steered steered{
      .fast = [&](const std::vector<double>& at) { return objective.evaluate(at, true); },
      .exact = [&](const std::vector<double>& at) { return objective.evaluate(at, false); },
      .convex = false};
  co_return co_await minimise_steered(steered, *curvature, std::move(x),
                                      {.gradient = limits.gradient_tolerance,
                                       .gain = limits.least_gain,
                                       .most_steps = limits.most_steps});
}

/// The curvature of the ridge map at its optimum, and of the channel as if the model were right.
core::Task<Preconditioner> preconditioner(const Problem& front, const ChannelStart& start) {
  Request request = front.about;
  request.sums = Request::Sums::frequencies;
  front.desk->put(std::move(request));
  const State state = co_await *front.desk;
  const std::size_t classes = front.classes, size = start.front.size();
  const auto rows = static_cast<double>(front.rows);
  std::vector<double> inverse(classes * classes);
  const std::vector<double> share = state.sums.total();
  for (std::size_t j = 0; j < classes; ++j) {
    const double weight =
        share[j] / rows + map::kChannelPrior / static_cast<double>(front.penalty_rows());
    for (std::size_t k = 0; k < classes; ++k) {
      const double c = start.channel[j * classes + k];
      inverse[j * classes + k] = 1.0 / (weight * std::max(c * (1.0 - c), kLeastSpread));
    }
  }
  Objective objective(front);
  std::shared_ptr<const Cholesky> factor;
  Preconditioner large;
  if (size <= kDenseParameters) {
    Derivatives there = co_await objective.evaluate(start.front, true);
    factor = std::make_shared<Cholesky>(std::move(there.curvature), size);
  } else {
    std::vector<double> diagonal = co_await objective.curvature_diagonal(start.front);
    large = [diagonal](const double* in, double* out) {
      for (std::size_t j = 0; j < diagonal.size(); ++j) out[j] = in[j] / diagonal[j];
    };
  }
  co_return Preconditioner([=](const double* in, double* out) {
    if (factor) {
      std::ranges::copy(factor->solve(std::vector<double>(in, in + size)), out);
    } else {
      large(in, out);
    }
    for (std::size_t i = 0; i < inverse.size(); ++i) out[size + i] = inverse[i] * in[size + i];
  });
}

}  // namespace

core::Task<Minimum> fit_channel(const Problem& problem, const Problem& front, ChannelStart start) {
  const double tolerance = problem.options->gradient_tolerance;
  const QuasiNewtonOptions options{.gradient_tolerance = std::max(kChannelGradient, tolerance),
                                   .least_gain = least_gain(problem),
                                   .most_steps = std::min(kMostSteps, problem.options->max_passes)};
  ChannelObjective objective(problem, start.front.size());
  std::vector<double> x = start.front, logs = start.channel;
  core::kernels().f64.log_positive(logs.data(), logs.size());
  x.insert(x.end(), logs.begin(), logs.end());
  Minimum out;
  const bool of_sample = problem.sampled_from > 0;
  if (!of_sample && is_worth_sampling(problem, x.size()) && x.size() <= kDenseParameters) {
    out = co_await fit_channel_steered(problem, objective, x, options);
    x = out.theta;
  }
  if (out.report.stop != Stop::converged) {
    const Preconditioner precondition = co_await preconditioner(front, start);
    const Evaluate evaluate = [&](const std::vector<double>& at) {
      return objective.evaluate(at, of_sample);
    };
    StepPairs pairs;
    QuasiNewtonResult found =
        co_await minimise_quasi_newton(evaluate, precondition, std::move(x), pairs, options);
    out.theta = std::move(found.x);
    out.report.stop = found.stop;
    out.report.loss = found.loss;
    out.report.gradient_norm = found.gradient_norm;
  }
  out.theta = objective.theta(out.theta);
  out.report.passes = objective.passes();
  out.certain = true;
  co_return out;
}

}  // namespace credence::fit_detail
