#include "fit/search/newton.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "fit/passes/fast_passes.hpp"
#include "fit/search/conjugate_gradients.hpp"
#include "fit/search/dense.hpp"
#include "fit/search/steered_search.hpp"

namespace credence::fit_detail {
namespace {

/// With a vanishing gradient, a step larger than this says that the minimum is at infinity.
constexpr double kRunawayStep = 1e-3;
constexpr double kRunawayParameter = 1e8;
/// Keep an old factorisation while it still shrinks the gradient by this factor: a new Hessian
/// costs several gradient passes.
constexpr double kGoodContraction = 0.25;
/// Conjugate gradients keep their preconditioner until a step longer than this.
constexpr double kLongStep = 0.3;
/// How far below the tolerance a direction of conjugate gradients should lead.
constexpr double kUndershoot = 0.1;
constexpr int kMostHalvings = 40;
/// The share of the predicted decrease of the loss that a step kept: below the first, conjugate
/// gradients may go half as far next time; above the second, kWiden times as far.
constexpr double kPoorModel = 0.25;
constexpr double kGoodModel = 0.75;
constexpr double kWiden = 3.0;
/// A step that promises no more than this says that the minimum is reached: no component of the
/// gradient is then above 1e-7 of what its parameter multiplies.
constexpr double kNothing = 1e-13;
/// The same where the loss falls for ever: about what all further steps together can gain.
constexpr double kNothingForEver = 1e-10;
/// Conjugate gradients that broke down promise nothing wherever they are.
constexpr double kSmallGradient = 1e-9;
/// With the Hessian at hand Newton's method needs 5 to 20 passes where it is the right one, and
/// some 40 to find that there is no minimum; what is left of the passes allowed serves a safer one.
constexpr int kMostDensePasses = 80;

class Newton {
 public:
  Newton(Objective& objective, std::vector<double> start, double tolerance, bool dense,
         bool rough = false)
      : objective_(objective),
        tolerance_(tolerance),
        rough_(rough),
        dense_(dense),
        fast_(rough && dense && has_fast_passes(objective.problem().about.map)),
        unseen_(dense && !rough ? unseen_gain(tolerance, objective.problem().rows) : 0.0),
        passes_before_(objective.passes()),
        bounds_(objective.bounds()),
        theta_(std::move(start)) {
    const auto& near = objective.problem().options->start_curvature;
    if (unseen_ > 0.0 && !bounds_ && near && near->regular && near->parameters == theta_.size()) {
      guide_ = near;
    }
  }

  core::Task<Minimum> run() {
    state_ = co_await evaluate(theta_, dense_ && !guide_);
    mark_active();
    if (guide_) {
      factored_active_ = active_;
      fresh_ = false;
    } else {
      factorise();
    }
    Stop stop = Stop::iteration_limit;
    while (true) {
      const double gradient = free_gradient_norm(theta_, state_);
      objective_.counter().announce(state_.loss, gradient);
      if (gradient == 0.0 || (rough_ && gradient <= tolerance_)) {
        stop = any_active() ? Stop::at_bound : Stop::converged;
        break;
      }
      if (!dense_ && gradient <= tolerance_) {
        const double estimate = co_await estimated_size();
        if (estimate <= kStepPerGradient * tolerance_) {
          stop = any_active() ? Stop::at_bound : Stop::converged;
          break;
        }
      }
      step_ = co_await direction();
      size_ = max_norm(step_) / (1.0 + max_norm(theta_));
      if (gradient <= tolerance_) {
        if (size_ <= kStepPerGradient * tolerance_) {
          stop = any_active() ? Stop::at_bound : Stop::converged;
          break;
        }
        if (size_ > kRunawayStep) {
          stop = Stop::no_minimiser;
          break;
        }
      }
      if (max_norm(theta_) > kRunawayParameter) {
        stop = Stop::no_minimiser;
        break;
      }
      if (exhausted()) break;
      if (unseen_ > 0.0 && -0.5 * dot(state_.gradient, step_) <= unseen_ && !any_active() &&
          is_regular()) {
        state_.loss += 0.5 * dot(state_.gradient, step_);
        theta_ = moved(1.0);
        stop = Stop::converged;
        break;
      }
      const Outcome outcome = co_await line_search(gradient);
      if (outcome == Outcome::stuck) {
        if (any_active()) {
          stop = Stop::at_bound;
        } else {
          stop = Stop::rounding_floor;
        }
        break;
      }
      if (outcome == Outcome::limit) break;
    }
    co_return finish(stop);
  }

 private:
  enum class Outcome { moved, stale, stuck, limit };

  /// A start that others will improve need not be precise.
  core::Task<Derivatives> evaluate(const std::vector<double>& theta, bool with_curvature) {
    return fast_ ? objective_.evaluate_fast(theta, with_curvature)
                 : objective_.evaluate(theta, with_curvature);
  }

  bool exhausted() const {
    return objective_.exhausted() ||
           (dense_ && objective_.passes() - passes_before_ >= kMostDensePasses);
  }

  bool at_low(std::size_t j) const { return bounds_ && theta_[j] <= bounds_->low; }
  bool at_high(std::size_t j) const { return bounds_ && theta_[j] >= bounds_->high; }

  /// Parameters on a bound that the gradient pushes further out do not move.
  void mark_active() {
    active_.assign(theta_.size(), false);
    for (std::size_t j = 0; j < theta_.size(); ++j) {
      active_[j] =
          (at_low(j) && state_.gradient[j] > 0.0) || (at_high(j) && state_.gradient[j] < 0.0);
    }
  }
  bool any_active() const {
    return std::find(active_.begin(), active_.end(), true) != active_.end();
  }

  double free_gradient_norm(const std::vector<double>& theta, const Derivatives& state) const {
    double most = 0.0;
    for (std::size_t j = 0; j < theta.size(); ++j) {
      const double g = state.gradient[j];
      const bool outward = bounds_ && ((theta[j] <= bounds_->low && g > 0.0) ||
                                       (theta[j] >= bounds_->high && g < 0.0));
      if (!outward) most = std::max(most, std::abs(g));
    }
    return most;
  }

  /// Evaluates the Hessian at theta_ and factorises it.
  core::Task<bool> refresh_curvature() {
    state_ = co_await evaluate(theta_, true);
    mark_active();
    factorise();
    co_return true;
  }

  void factorise() {
    fresh_ = true;
    if (!dense_) return;
    const std::size_t size = theta_.size();
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        if (active_[i] || active_[j]) state_.curvature[i * size + j] = i == j ? 1.0 : 0.0;
      }
    }
    guide_ = nullptr;
    cholesky_ = std::make_shared<const Cholesky>(std::move(state_.curvature), size);
    state_.curvature.clear();
    factored_active_ = active_;
  }

  std::vector<double> downhill() const {
    std::vector<double> rhs(theta_.size());
    for (std::size_t j = 0; j < rhs.size(); ++j) rhs[j] = active_[j] ? 0.0 : -state_.gradient[j];
    return rhs;
  }

  /// The size of the Newton step as the preconditioner sees it, without a pass over the data.
  core::Task<double> estimated_size() {
    if (!precondition_) precondition_ = co_await objective_.preconditioner(theta_);
    std::vector<double> estimate(theta_.size());
    precondition_(downhill().data(), estimate.data());
    co_return max_norm(estimate) / (1.0 + max_norm(theta_));
  }

  core::Task<std::vector<double>> direction() {
    const std::vector<double> rhs = downhill();
    if (guide_) {
      std::vector<double> step(rhs.size());
      guide_->inverse(rhs.data(), step.data());
      co_return step;
    }
    if (dense_) co_return cholesky_->solve(rhs);
    if (!precondition_ || size_ > kLongStep || length_ == radius_) {
      precondition_ = co_await objective_.preconditioner(theta_);
    }
    const Product multiply = [this](const std::vector<double>& direction) {
      return objective_.steering_product(theta_, direction);
    };
    TrustedStep trusted = co_await newton_cg_step(objective_, multiply, rhs, active_, precondition_,
                                                  kUndershoot * tolerance_, radius_);
    length_ = trusted.length;
    decrease_ = trusted.decrease;
    co_return std::move(trusted.step);
  }

  /// Steps as long as the quadratic model of the loss has turned out to hold.
  void adapt_radius(double alpha, double next_loss) {
    const double kept = (state_.loss - next_loss) / decrease_;
    if (alpha < 1.0 || kept < kPoorModel) {
      radius_ = alpha < 1.0 ? alpha * length_ : 0.5 * length_;
    } else if (kept > kGoodModel) {
      radius_ = std::max(radius_, kWiden * length_);
    }
  }

  std::vector<double> moved(double alpha) const {
    std::vector<double> out(theta_);
    for (std::size_t j = 0; j < out.size(); ++j) {
      out[j] += alpha * step_[j];
      if (bounds_) out[j] = std::clamp(out[j], bounds_->low, bounds_->high);
    }
    return out;
  }

  core::Task<Outcome> line_search(double gradient) {
    const double slope = dot(state_.gradient, step_);
    // Where the loss cannot resolve the decrease any more, the gradient judges.
    const double resolution =
        16.0 * std::numeric_limits<double>::epsilon() * std::max(1.0, std::abs(state_.loss));
    const bool endgame = std::abs(slope) < resolution;
    double alpha = 1.0;
    for (int attempt = 0; attempt < kMostHalvings; ++attempt, alpha *= 0.5) {
      std::vector<double> trial = moved(alpha);
      Derivatives next = co_await evaluate(trial, false);
      const double next_gradient = free_gradient_norm(trial, next);
      const bool better =
          endgame ? next_gradient < gradient
                  : next.loss <= state_.loss + 1e-4 * alpha * slope ||
                        (next.loss <= state_.loss + resolution && next_gradient < 0.5 * gradient);
      if (std::isfinite(next.loss) && better) {
        if (!dense_ && !endgame) adapt_radius(alpha, next.loss);
        theta_ = std::move(trial);
        state_ = std::move(next);
        mark_active();
        const bool contracts = next_gradient <= kGoodContraction * gradient;
        fresh_ = false;
        if (dense_ && (!contracts || active_ != factored_active_) &&
            next_gradient > 0.01 * tolerance_) {
          co_await refresh_curvature();
        }
        co_return Outcome::moved;
      }
      if (exhausted()) co_return Outcome::limit;
      if (!fresh_ && dense_) {
        co_await refresh_curvature();
        co_return Outcome::stale;
      }
      if (endgame) co_return Outcome::stuck;
    }
    co_return Outcome::stuck;
  }

  /// Whether the curvature behind the last step can be believed and the step promised nothing.
  /// Where Cholesky had to add to the diagonal, directions that matter may be hidden below it.
  bool certain(Stop stop) const {
    if (stop == Stop::iteration_limit) return false;
    if (dense_ && !is_regular()) return false;
    if (step_.empty() || stop == Stop::converged) return true;
    const double gradient = free_gradient_norm(theta_, state_);
    if (stop == Stop::no_minimiser && gradient > tolerance_) return false;
    if (!dense_ && gradient > kSmallGradient) return false;
    const double promised = std::abs(dot(state_.gradient, step_));
    return promised <= (stop == Stop::no_minimiser ? kNothingForEver : kNothing);
  }

  bool is_regular() const { return guide_ || cholesky_->regular(); }

  /// What led the search, for others that end as early.
  std::shared_ptr<const FitCurvature> curvature() const {
    if (unseen_ == 0.0 || guide_ || any_active()) return guide_;
    const auto solve = [factor = cholesky_](const double* in, double* out) {
      std::ranges::copy(factor->solve(std::vector<double>(in, in + factor->size())), out);
    };
    return std::make_shared<const FitCurvature>(
        FitCurvature{solve, cholesky_->size(), cholesky_->regular()});
  }

  Minimum finish(Stop stop) {
    Minimum out;
    out.curvature = curvature();
    out.certain = certain(stop);
    out.report.stop = stop;
    out.report.passes = objective_.passes();
    out.report.loss = state_.loss;
    out.report.gradient_norm = free_gradient_norm(theta_, state_);
    out.theta = std::move(theta_);
    return out;
  }

  Objective& objective_;
  double tolerance_;
  bool rough_;
  bool dense_, fast_;
  double unseen_;  ///< what the last step may promise to be taken without a look
  int passes_before_;
  std::optional<map::Bounds> bounds_;
  std::vector<double> theta_;
  Derivatives state_;
  std::vector<double> step_;
  double size_ = 0.0;  ///< of the last step, relative to the parameters
  /// How far conjugate gradients may go, how far they went, what that should gain.
  double radius_ = std::numeric_limits<double>::infinity(), length_ = 0.0, decrease_ = 0.0;
  Preconditioner precondition_;
  std::vector<bool> active_, factored_active_;
  std::shared_ptr<const Cholesky> cholesky_;
  /// What led a fit to nearly the same rows, until it does not lead this one well.
  std::shared_ptr<const FitCurvature> guide_;
  bool fresh_ = true;  ///< the factorisation belongs to theta_
};

}  // namespace

core::Task<Minimum> minimise(Objective& objective, std::vector<double> start,
                             double gradient_tolerance, std::size_t dense_parameters) {
  const bool dense = objective.parameters() <= dense_parameters;
  Newton newton(objective, std::move(start), gradient_tolerance, dense);
  co_return co_await newton.run();
}

core::Task<Minimum> approach(Objective& objective, std::vector<double> start,
                             double gradient_tolerance) {
  const bool dense = objective.parameters() <= kDenseParameters;
  Newton newton(objective, std::move(start), gradient_tolerance, dense, true);
  co_return co_await newton.run();
}

}  // namespace credence::fit_detail
