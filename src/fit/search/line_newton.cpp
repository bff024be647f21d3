#include "fit/search/line_newton.hpp"

#include <algorithm>
#include <cmath>

namespace credence::fit_detail {
namespace {

/// Below this change of either number the line stays where it is.
constexpr double kSmallStep = 1e-9;
/// Steps this large leave the region where the curvature says anything.
constexpr double kLargestStep = 4.0;
/// Of a step that is halved again and again.
constexpr double kLeastFraction = 1e-10;
/// Differences of losses this small are rounding.
constexpr double kRounding = 1e-13;

}  // namespace

double LineNewton::Point::gradient_norm() const { return std::max(std::abs(ga), std::abs(gb)); }

LineNewton::Point LineNewton::at(const LineSums& sums, double rows) const {
  const double prior = 1.0 / (kPriorVariance * rows);
  const double a = trial_.intercept, b = trial_.slope;
  return {.loss = sums.loss / rows + 0.5 * prior * (a * a + b * b),
          .ga = sums.ga / rows + prior * a,
          .gb = sums.gb / rows + prior * b,
          .haa = sums.haa / rows + prior,
          .hab = sums.hab / rows,
          .hbb = sums.hbb / rows + prior};
}

/// Near the end the loss no longer resolves the decrease; then the gradient decides.
bool LineNewton::improves(const Point& point, double tolerance) const {
  const double rounding = kRounding * std::max(1.0, std::abs(point_.loss));
  if (point.loss < point_.loss - rounding) return true;
  return point.loss <= point_.loss + rounding &&
         (point.gradient_norm() < point_.gradient_norm() || point.gradient_norm() <= tolerance);
}

void LineNewton::choose_step() {
  // The eigenvalues of the Hessian, made positive: downhill also where the loss is not convex.
  const double middle = 0.5 * (point_.haa + point_.hbb), half = 0.5 * (point_.haa - point_.hbb);
  const double radius = std::sqrt(half * half + point_.hab * point_.hab);
  const double least = std::max(1e-12 * (std::abs(middle) + radius), 1e-300);
  const double large = std::max(std::abs(middle + radius), least);
  const double small = std::max(std::abs(middle - radius), least);
  // Unit eigenvector of the eigenvalue middle + radius.
  double ua = 1.0, ub = 0.0;
  if (radius > 0.0) {
    ua = half >= 0.0 ? half + radius : point_.hab;
    ub = half >= 0.0 ? point_.hab : radius - half;
    const double length = std::sqrt(ua * ua + ub * ub);
    ua /= length;
    ub /= length;
  }
  const double along = (ua * point_.ga + ub * point_.gb) / large;
  const double across = (-ub * point_.ga + ua * point_.gb) / small;
  step_a_ = -(ua * along - ub * across);
  step_b_ = -(ub * along + ua * across);
  const double longest = std::max(std::abs(step_a_), std::abs(step_b_));
  if (longest > kLargestStep) {
    step_a_ *= kLargestStep / longest;
    step_b_ *= kLargestStep / longest;
  }
  share_ = 1.0;
}

void LineNewton::finish(Stop stop) {
  done_ = true;
  trial_ = best_;
  report_.stop = stop;
}

void LineNewton::tell(const LineSums& sums, double rows, double tolerance, int max_passes) {
  if (done_) return;
  ++report_.passes;
  const Point point = at(sums, rows);
  if (!started_ || improves(point, tolerance)) {
    started_ = true;
    best_ = trial_;
    point_ = point;
    mean_loss_ = sums.loss / rows;
    report_.loss = point.loss;
    report_.gradient_norm = point.gradient_norm();
    choose_step();
    const double longest = std::max(std::abs(step_a_), std::abs(step_b_));
    if (point_.gradient_norm() <= tolerance && longest <= kSmallStep) {
      return finish(Stop::converged);
    }
  } else {
    share_ *= 0.5;
    if (share_ < kLeastFraction) {
      return finish(point_.gradient_norm() <= 1e3 * tolerance ? Stop::rounding_floor
                                                              : Stop::no_progress);
    }
  }
  if (report_.passes >= max_passes) return finish(Stop::iteration_limit);
  trial_ = {best_.intercept + share_ * step_a_, best_.slope + share_ * step_b_};
}

}  // namespace credence::fit_detail
