#include <numeric>

#include "map/smooth.hpp"

namespace credence::map {
namespace {

double centre_sum(Params theta, std::size_t first) {
  return std::accumulate(theta.begin() + static_cast<std::ptrdiff_t>(first), theta.end(), 0.0);
}

}  // namespace

double Quadratic::value(Params theta) const {
  double sum = 0.0;
  for (std::size_t j = 0; j < diagonal.size(); ++j) sum += diagonal[j] * theta[j] * theta[j];
  if (centre_weight != 0.0) {
    const double centre = centre_sum(theta, centre_first);
    sum += centre_weight * centre * centre;
  }
  return 0.5 * sum;
}

void Quadratic::add_gradient(Params theta, double* gradient) const { add_product(theta, gradient); }

void Quadratic::add_curvature(std::size_t parameters, double* hessian) const {
  for (std::size_t j = 0; j < diagonal.size(); ++j) hessian[j * parameters + j] += diagonal[j];
  if (centre_weight == 0.0) return;
  for (std::size_t i = centre_first; i < parameters; ++i) {
    for (std::size_t j = centre_first; j <= i; ++j) hessian[i * parameters + j] += centre_weight;
  }
}

void Quadratic::add_product(Params direction, double* out) const {
  for (std::size_t j = 0; j < diagonal.size(); ++j) out[j] += diagonal[j] * direction[j];
  if (centre_weight == 0.0) return;
  const double centre = centre_weight * centre_sum(direction, centre_first);
  for (std::size_t j = centre_first; j < direction.size(); ++j) out[j] += centre;
}

}  // namespace credence::map
