#include "fit/search/quasi_newton.hpp"

#include <cmath>

namespace credence::fit_detail {
namespace {

/// Pairs of steps and changes of the gradient that are kept.
constexpr std::size_t kMemory = 30;
constexpr int kMostReductions = 40;
/// The share of the slope that a step must gain.
constexpr double kArmijo = 1e-4;

}  // namespace

// The two loops.
std::vector<double> quasi_newton_step(const StepPairs& pairs, const Preconditioner& precondition,
                                      const std::vector<double>& gradient) {
  std::vector<double> q = gradient, out(gradient.size()), share(pairs.size());
  for (std::size_t i = pairs.size(); i-- > 0;) {
    share[i] = dot(pairs[i].step, q) / pairs[i].product;
    for (std::size_t j = 0; j < q.size(); ++j) q[j] -= share[i] * pairs[i].change[j];
  }
  precondition(q.data(), out.data());
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const double back = share[i] - dot(pairs[i].change, out) / pairs[i].product;
    for (std::size_t j = 0; j < out.size(); ++j) out[j] += back * pairs[i].step[j];
  }
  for (double& number : out) number = -number;
  return out;
}

void remember(StepPairs& pairs, const std::vector<double>& step, const std::vector<double>& before,
              const std::vector<double>& after, double least_change) {
  StepPair pair{step, after, 0.0};
  for (std::size_t j = 0; j < step.size(); ++j) pair.change[j] -= before[j];
  pair.product = dot(pair.step, pair.change);
  const double sizes =
      std::sqrt(dot(pair.step, pair.step)) * std::sqrt(dot(pair.change, pair.change));
  if (pair.product > 1e-10 * sizes && max_norm(pair.change) > least_change) {
    pairs.push_back(std::move(pair));
  }
  if (pairs.size() > kMemory) pairs.pop_front();
}

core::Task<QuasiNewtonResult> minimise_quasi_newton(const Evaluate& evaluate,
                                                    const Preconditioner& precondition,
                                                    std::vector<double> start, StepPairs& pairs,
                                                    const QuasiNewtonOptions& options) {
  QuasiNewtonResult out;
  out.x = std::move(start);
  Derivatives here = co_await evaluate(out.x);
  for (int step = 0;; ++step) {
    out.loss = here.loss;
    out.gradient_norm = max_norm(here.gradient);
    const bool flat = out.gradient_norm <= options.gradient_tolerance;
    out.gradient = here.gradient;
    if (flat && options.step_tolerance == std::numeric_limits<double>::infinity()) {
      out.stop = Stop::converged;
      break;
    }
    std::vector<double> along = quasi_newton_step(pairs, precondition, here.gradient);
    if (flat && max_norm(along) <= options.step_tolerance * (1.0 + max_norm(out.x))) {
      out.stop = Stop::converged;
      break;
    }
    if (step >= options.most_steps || !std::isfinite(here.loss)) break;
    double slope = dot(along, here.gradient);
    if (!(slope < 0.0)) {  // rounding has made the pairs useless
      pairs.clear();
      along = quasi_newton_step(pairs, precondition, here.gradient);
      slope = dot(along, here.gradient);
    }
    const bool knows_curvature = !pairs.empty();
    if (-0.5 * slope <= options.least_gain && knows_curvature) {
      out.stop = Stop::converged;
      break;
    }
    if (-0.5 * slope <= options.unseen_gain && knows_curvature) {
      for (std::size_t j = 0; j < out.x.size(); ++j) out.x[j] += along[j];
      out.loss += 0.5 * slope;
      out.stop = Stop::converged;
      break;
    }
    const double resolution = options.resolution * std::max(1.0, std::abs(here.loss));
    double length = 1.0;
    bool moved = false;
    for (int attempt = 0; attempt < kMostReductions && !moved; ++attempt) {
      std::vector<double> trial = out.x;
      for (std::size_t j = 0; j < trial.size(); ++j) trial[j] += length * along[j];
      Derivatives next = co_await evaluate(trial);
      const bool lower = next.loss <= here.loss + kArmijo * length * slope;
      // Where the loss cannot resolve the gain any more, the gradient judges.
      const bool flatter = std::abs(slope) * length < resolution &&
                           next.loss <= here.loss + resolution &&
                           max_norm(next.gradient) < out.gradient_norm;
      if (!std::isfinite(next.loss) || !(lower || flatter)) {
        if (options.leave_early && std::abs(slope) * length < resolution) {
          out.stop = Stop::rounding_floor;
          co_return out;
        }
        // The parabola through what is known has its minimum here.
        const double bend = next.loss - here.loss - length * slope;
        const double least = std::isfinite(bend) && bend > 0.0
                                 ? -0.5 * slope * length * length / bend
                                 : 0.1 * length;
        length = std::min(std::max(least, 0.1 * length), 0.5 * length);
        continue;
      }
      for (std::size_t j = 0; j < trial.size(); ++j) along[j] = trial[j] - out.x[j];
      remember(pairs, along, here.gradient, next.gradient, options.least_change);
      out.x = std::move(trial);
      here = std::move(next);
      moved = true;
    }
    if (!moved) {
      if (!pairs.empty()) {
        pairs.clear();
        continue;
      }
      out.stop = Stop::rounding_floor;
      break;
    }
  }
  co_return out;
}

}  // namespace credence::fit_detail
