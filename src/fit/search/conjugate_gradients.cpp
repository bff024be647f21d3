#include "fit/search/conjugate_gradients.hpp"

#include <algorithm>
#include <cmath>

namespace credence::fit_detail {
namespace {

constexpr int kMostIterations = 200;

void clear_active(const std::vector<bool>& active, std::vector<double>& x) {
  for (std::size_t j = 0; j < x.size(); ++j) {
    if (active[j]) x[j] = 0.0;
  }
}

/// The positive root t of |x + t p| = radius, from the squares of x and p and their product.
double reach(double xx, double xp, double pp, double radius) {
  const double left = std::max(radius * radius - xx, 0.0);
  return left / (xp + std::sqrt(xp * xp + pp * left));
}

}  // namespace

core::Task<TrustedStep> newton_cg_step(const Objective& objective, const Product& multiply,
                                       const std::vector<double>& rhs,
                                       const std::vector<bool>& active,
                                       const Preconditioner& precondition, double target,
                                       double radius) {
  const std::size_t size = rhs.size();
  std::vector<double> x(size, 0.0), residual(rhs), z(size), product(size);
  precondition(residual.data(), z.data());
  clear_active(active, z);
  std::vector<double> p(z);
  double rz = dot(residual, z);
  const double start = rz;
  // Lengths as the preconditioner measures them, from those of the step before.
  double xx = 0.0, xp = 0.0, pp = rz;
  // Eisenstat and Walker (1996): solving no more precisely than the square root of the gradient
  // keeps superlinear convergence without wasted passes. Nor is more wanted than the target.
  const double norm = max_norm(rhs);
  TrustedStep out;
  const double forcing = std::min(0.1, std::max(std::sqrt(norm), target / norm));
  for (int iteration = 0; iteration < kMostIterations && rz > 0.0; ++iteration) {
    product = co_await multiply(p);
    clear_active(active, product);
    const double curvature = dot(p, product);
    // No curvature left in this direction: the steps so far are the answer.
    if (!(curvature > 0.0)) break;
    double alpha = rz / curvature;
    const double longer = xx + alpha * (2.0 * xp + alpha * pp);
    const bool leaves = longer > radius * radius;
    if (leaves) alpha = reach(xx, xp, pp, radius);
    for (std::size_t j = 0; j < size; ++j) {
      x[j] += alpha * p[j];
      residual[j] -= alpha * product[j];
    }
    xx = leaves ? radius * radius : longer;
    if (leaves) break;
    precondition(residual.data(), z.data());
    clear_active(active, z);
    const double next = dot(residual, z);
    out.solved = next <= forcing * forcing * start;
    if (out.solved || objective.exhausted()) break;
    const double beta = next / rz;
    rz = next;
    xp = beta * (xp + alpha * pp);
    pp = rz + beta * beta * pp;
    for (std::size_t j = 0; j < size; ++j) p[j] = z[j] + beta * p[j];
  }
  out.length = std::min(radius, std::sqrt(xx));
  for (std::size_t j = 0; j < size; ++j) out.decrease += 0.5 * x[j] * (rhs[j] + residual[j]);
  out.step = max_norm(x) == 0.0 ? std::move(z) : std::move(x);
  co_return out;
}

}  // namespace credence::fit_detail
