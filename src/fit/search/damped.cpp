#include "fit/search/damped.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "fit/search/conjugate_gradients.hpp"
#include "fit/search/dense.hpp"

namespace credence::fit_detail {
namespace {

/// A step that fails is damped this much first, then more by a factor that grows each time.
constexpr double kFirstDamping = 1e-8;
constexpr double kHarder = 4.0;
constexpr double kSofter = 10.0;
/// With this much damping a step no longer changes a parameter in double precision.
constexpr double kMostDamping = 1e17;
constexpr double kLeastDamping = 1e-9;
/// The same as in Newton's method: relative to the parameters, a step no longer than the first
/// belongs to a minimum; one longer than the second, where nothing is left to gain, to none.
constexpr double kShortStep = 1e-9;
constexpr double kRunawayLength = 1e-3;
/// Rounding may leave a step this long at a minimum that is not well determined.
constexpr double kRoundedStep = 1e-6;
/// At a minimum the Newton step shrinks to nothing in two or three steps; along the tail of an
/// exponential it stays as long as it was.
constexpr int kMostPolish = 10;
constexpr double kHidden = 1e-3;

/// Solves (H + damping D) step = -gradient. D weighs a parameter by its curvature and by what keeps
/// a step, at damping 1, from changing it by more than its own size: that holds where the loss is
/// saturated and has no curvature to speak of. All of it scales with the parameters.
class Damped {
 public:
  Damped(Objective& objective, std::vector<double> start, const Shape& shape, double tolerance)
      : objective_(objective),
        shape_(shape),
        tolerance_(tolerance),
        dense_(objective.parameters() <= kDenseParameters),
        bounds_(objective.bounds()),
        theta_(std::move(start)) {}

  core::Task<Minimum> run() {
    state_ = co_await objective_.evaluate(theta_, dense_);
    while (true) {
      mark_active();
      const double gradient = free_norm(state_, theta_, false);
      objective_.counter().announce(state_.loss, gradient);
      if (gradient == 0.0) co_return finish(any_at_bound() ? Stop::at_bound : Stop::converged);
      if (objective_.exhausted()) co_return finish(Stop::iteration_limit);
      co_await weigh();
      damping_ = std::min(damping_, kMostDamping);
      const bool moved = co_await move();
      if (!moved) {
        const Stop stop = co_await stopped();
        co_return finish(stop);
      }
      if (dense_) state_ = co_await objective_.evaluate(theta_, true);
    }
  }

 private:
  bool outward(double theta, double gradient) const {
    return bounds_ && ((theta <= bounds_->low && gradient > 0.0) ||
                       (theta >= bounds_->high && gradient < 0.0));
  }
  void mark_active() {
    active_.assign(theta_.size(), false);
    for (std::size_t j = 0; j < theta_.size(); ++j) {
      active_[j] = shape_.sizes[j] == 0.0 || outward(theta_[j], state_.gradient[j]);
    }
  }
  bool any_at_bound() const {
    for (std::size_t j = 0; j < theta_.size(); ++j) {
      if (outward(theta_[j], state_.gradient[j])) return true;
    }
    return false;
  }
  double size(std::size_t j) const { return shape_.sizes[j] > 0.0 ? shape_.sizes[j] : 1.0; }

  /// Largest component that is free to fall, as it is or relative to the sizes.
  double free_norm(const Derivatives& state, const std::vector<double>& theta,
                   bool relative) const {
    double most = 0.0;
    for (std::size_t j = 0; j < theta.size(); ++j) {
      if (shape_.sizes[j] == 0.0 || outward(theta[j], state.gradient[j])) continue;
      const double g = std::abs(state.gradient[j]);
      most = std::max(most, relative ? g / size(j) : g);
    }
    return most;
  }

  core::Task<bool> weigh() {
    const std::size_t count = theta_.size();
    weights_.assign(count, 0.0);
    if (!dense_) weights_ = co_await objective_.curvature_diagonal(theta_);
    for (std::size_t j = 0; j < count; ++j) {
      if (dense_) weights_[j] = state_.curvature[j * count + j];
      weights_[j] = std::abs(weights_[j]) +
                    std::abs(state_.gradient[j]) / (std::abs(theta_[j]) + 1.0 / size(j));
      if (!(weights_[j] > 0.0)) weights_[j] = size(j) * size(j);
    }
    co_return true;
  }

  /// The step for this damping, and how far the quadratic model falls along it.
  struct Step {
    std::vector<double> by;
    double gain = 0.0;
    bool exact = true;    ///< solves the equations; not of conjugate gradients that gave up
    bool regular = true;  ///< nothing had to be added to the curvature
  };
  core::Task<std::vector<double>> damped_product(double damping,
                                                 const std::vector<double>& direction) {
    std::vector<double> product = co_await objective_.product(theta_, direction);
    for (std::size_t j = 0; j < product.size(); ++j) {
      product[j] += damping * weights_[j] * direction[j];
    }
    co_return product;
  }

  core::Task<Step> solve(double damping) {
    const std::size_t count = theta_.size();
    Step out;
    if (dense_) {
      // Scaled by the weights, so that what Cholesky may have to add means the same to all.
      std::vector<double> scale(count), matrix(count * count, 0.0), rhs(count);
      for (std::size_t j = 0; j < count; ++j) {
        scale[j] = 1.0 / std::sqrt(weights_[j]);
        rhs[j] = active_[j] ? 0.0 : -state_.gradient[j] * scale[j];
      }
      for (std::size_t i = 0; i < count; ++i) {
        for (std::size_t j = 0; j < i; ++j) {
          if (active_[i] || active_[j]) continue;
          matrix[i * count + j] = state_.curvature[i * count + j] * scale[i] * scale[j];
        }
        const double own = state_.curvature[i * count + i] * scale[i] * scale[i];
        matrix[i * count + i] = active_[i] ? 1.0 : own + damping;
      }
      const Cholesky factor(std::move(matrix), count);
      out.regular = factor.regular();
      out.by = factor.solve(rhs);
      for (std::size_t j = 0; j < count; ++j) out.by[j] *= scale[j];
      out.gain = -0.5 * dot(state_.gradient, out.by);
      co_return out;
    }
    std::vector<double> rhs(count);
    for (std::size_t j = 0; j < count; ++j) rhs[j] = active_[j] ? 0.0 : -state_.gradient[j];
    const Product multiply = [&](const std::vector<double>& direction) {
      return damped_product(damping, direction);
    };
    const Preconditioner precondition = [&](const double* in, double* preconditioned) {
      for (std::size_t j = 0; j < count; ++j) {
        preconditioned[j] = in[j] / ((1.0 + damping) * weights_[j]);
      }
    };
    TrustedStep trusted = co_await newton_cg_step(objective_, multiply, rhs, active_, precondition,
                                                  0.0, std::numeric_limits<double>::infinity());
    out.by = std::move(trusted.step);
    out.gain = trusted.decrease;
    out.exact = trusted.solved;
    co_return out;
  }

  /// What rounding hides of the loss.
  double resolution() const {
    return 16.0 * std::numeric_limits<double>::epsilon() * std::max(1.0, std::abs(state_.loss));
  }

  /// Takes one step, damped as much as it needs to be better; false when there is none.
  core::Task<bool> move() {
    double harder = kHarder;
    while (damping_ <= kMostDamping) {
      const Step step = co_await solve(damping_);
      if (damping_ == 0.0) {
        newton_ = step;
        if (ended(step)) co_return false;
      }
      std::vector<double> trial(theta_), moved(theta_.size());
      bool changed = false;
      for (std::size_t j = 0; j < trial.size(); ++j) {
        trial[j] += step.by[j];
        if (bounds_) trial[j] = std::clamp(trial[j], bounds_->low, bounds_->high);
        moved[j] = trial[j] - theta_[j];
        changed = changed || moved[j] != 0.0;
      }
      if (!changed) co_return false;
      Derivatives next = co_await objective_.evaluate(trial, false);
      // Where nothing is left to gain, a last few steps may still bring the gradient down.
      const bool polishing = damping_ == 0.0 && gains_nothing(step, kTinyGain);
      const bool accepted =
          std::isfinite(next.loss) &&
          (polishing ? halves_gradient(next, trial) : better(next, trial, moved, step.gain));
      if (accepted) {
        polished_ += polishing ? 1 : 0;
        const double kept = (state_.loss - next.loss) / step.gain;
        if (step.gain <= resolution() || kept > 0.5) {
          damping_ = damping_ <= kLeastDamping ? 0.0 : damping_ / kSofter;
        } else if (kept < 0.1) {
          damping_ = std::max(kFirstDamping, 2.0 * damping_);
        }
        theta_ = std::move(trial);
        state_ = std::move(next);
        co_return true;
      }
      if (polishing) co_return false;
      if (objective_.exhausted()) {
        limit_ = true;
        co_return false;
      }
      damping_ = std::max(kFirstDamping, harder * damping_);
      harder *= 2.0;
    }
    co_return false;
  }

  bool better(const Derivatives& next, const std::vector<double>& trial,
              const std::vector<double>& moved, double gain) const {
    if (next.loss <= state_.loss - 1e-4 * std::max(gain, resolution())) return true;
    // Below its tangent a convex loss cannot be: still falling at the end of a step, it has fallen
    // all along it, even where rounding hides that.
    if (shape_.convex && dot(next.gradient, moved) <= 0.0) return true;
    return gain <= resolution() && next.loss <= state_.loss + resolution() &&
           halves_gradient(next, trial);
  }
  bool halves_gradient(const Derivatives& next, const std::vector<double>& trial) const {
    return free_norm(next, trial, true) < 0.5 * free_norm(state_, theta_, true);
  }

  /// What Cholesky adds may hide a direction with less curvature than rounding leaves of it. Its
  /// gradient shows all the same, unless it is rounding too.
  bool gains_nothing(const Step& step, double least) const {
    if (state_.loss <= least) return true;  // no loss is below 0
    return step.exact && step.gain <= (step.regular ? least : kHidden * least);
  }
  /// The relative size of a step, each parameter measured by what it multiplies.
  double length(const Step& step) const {
    double moved = 0.0, whole = 1.0;
    for (std::size_t j = 0; j < theta_.size(); ++j) {
      moved = std::max(moved, size(j) * std::abs(step.by[j]));
      whole = std::max(whole, size(j) * std::abs(theta_[j]));
    }
    return moved / whole;
  }
  bool small_gradient() const { return free_norm(state_, theta_, true) <= tolerance_; }
  bool tiny_gradient() const { return free_norm(state_, theta_, true) <= kTinyGradient; }
  /// Converged, or nothing left to gain however far one goes.
  bool ended(const Step& newton) const {
    if (!gains_nothing(newton, kTinyGain)) return false;
    const double by = length(newton);
    return (by > kRunawayLength && tiny_gradient()) ||
           (small_gradient() && (by <= kShortStep || polished_ >= kMostPolish));
  }

  /// The name of where the search stopped.
  core::Task<Stop> stopped() {
    if (limit_) co_return Stop::iteration_limit;
    Step newton = newton_;
    if (damping_ != 0.0) newton = co_await solve(0.0);
    const double least = kTinyGain * std::max(1.0, std::abs(state_.loss));
    if (!gains_nothing(newton, least) || !tiny_gradient()) co_return Stop::no_progress;
    if (length(newton) > kRunawayLength || (polished_ >= kMostPolish && small_gradient())) {
      co_return Stop::no_minimiser;
    }
    // Neither short enough for a minimum nor long enough for none.
    if (length(newton) > kRoundedStep) co_return Stop::no_progress;
    if (any_at_bound()) co_return Stop::at_bound;
    co_return small_gradient() && length(newton) <= kShortStep ? Stop::converged
                                                               : Stop::rounding_floor;
  }

  Minimum finish(Stop stop) {
    Minimum out;
    out.report = {stop, objective_.passes(), state_.loss, free_norm(state_, theta_, false), {}};
    out.theta = std::move(theta_);
    return out;
  }

  Objective& objective_;
  const Shape& shape_;
  double tolerance_;
  bool dense_;
  std::optional<map::Bounds> bounds_;
  std::vector<double> theta_;
  Derivatives state_;
  std::vector<bool> active_;
  std::vector<double> weights_;  ///< the diagonal of D
  double damping_ = 0.0;
  Step newton_;       ///< the last undamped step
  int polished_ = 0;  ///< steps taken where nothing was left to gain
  bool limit_ = false;
};

}  // namespace

core::Task<Minimum> minimise_damped(Objective& objective, std::vector<double> start,
                                    const Shape& shape, double gradient_tolerance) {
  Damped damped(objective, std::move(start), shape, gradient_tolerance);
  co_return co_await damped.run();
}

}  // namespace credence::fit_detail
