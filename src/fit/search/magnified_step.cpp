#include "fit/search/magnified_step.hpp"

#include <algorithm>

namespace credence::fit_detail {
namespace {

/// Gradients are made this large, a thousand times what float32 gets wrong ...
constexpr double kMagnified = 1e-5;
/// ... as far as no parameter moves further than this, or they would not be linear.
constexpr double kFarthest = 1e-2;
constexpr int kMostPasses = 12;
/// Below this a difference of gradients in float32 means nothing.
constexpr double kLeastGradient = 2e-8;
/// A pass that leaves more than this of the least gradient so far was in vain.
constexpr double kLittleHelp = 0.7;
constexpr int kMostInVain = 3;
/// One that leaves less was lucky; the next need not be.
constexpr double kUsualShare = 0.1;

}  // namespace

core::Task<std::vector<double>> magnified_step(const MagnifiedStep& how,
                                               const std::vector<double>& x,
                                               const std::vector<double>& exact,
                                               const std::vector<double>& fast) {
  std::vector<double> step = quasi_newton_step(how.pairs, how.precondition, exact);
  const double largest = max_norm(step);
  double times = kMagnified / max_norm(exact);
  if (times * largest > kFarthest) times = kFarthest / largest;
  times = std::max(times, 1.0);

  std::vector<double> gradient(exact), sum(x.size(), 0.0), trial(x.size());
  for (double& g : gradient) g *= times;
  for (double& s : step) s *= times;
  const double enough = std::max(how.tolerance * times, kLeastGradient);
  double norm = max_norm(gradient), least = norm;
  std::vector<double> best(step);
  int in_vain = 0;
  for (int pass = 0; pass < kMostPasses && in_vain < kMostInVain; ++pass) {
    for (std::size_t j = 0; j < x.size(); ++j) {
      sum[j] += step[j];
      trial[j] = x[j] + sum[j];
    }
    const Derivatives there = co_await how.fast(trial);
    std::vector<double> next(x.size());
    for (std::size_t j = 0; j < x.size(); ++j) {
      next[j] = times * exact[j] + (there.gradient[j] - fast[j]);
    }
    remember(how.pairs, step, gradient, next, how.least_change);
    gradient = std::move(next);
    const double shrunk = max_norm(gradient) / norm;
    norm *= shrunk;
    in_vain = norm <= kLittleHelp * least ? 0 : in_vain + 1;
    step = quasi_newton_step(how.pairs, how.precondition, gradient);
    if (norm < least) {
      // The next step should help as well, and need not be seen to.
      for (std::size_t j = 0; j < x.size(); ++j) best[j] = sum[j] + step[j];
      least = norm;
    }
    if (norm * std::clamp(shrunk, kUsualShare, 1.0) <= enough) break;
  }
  for (double& s : best) s /= times;
  co_return best;
}

}  // namespace credence::fit_detail
