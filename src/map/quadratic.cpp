#include "map/smooth.hpp"

namespace credence::map {
namespace {

/// A parameter's distance from where the penalty is 0.
double moved(const Quadratic& quadratic, Params theta, std::size_t j) {
  return quadratic.origin.empty() ? theta[j] : theta[j] - quadratic.origin[j];
}

template <class Value>
double sum_of(const Quadratic::Tied& tied, const Value& value) {
  double sum = 0.0;
  for (std::size_t i = 0; i < tied.count; ++i) sum += value(tied.first + i * tied.step);
  return sum;
}

}  // namespace

double Quadratic::value(Params theta) const {
  double sum = 0.0;
  for (std::size_t j = 0; j < diagonal.size(); ++j) {
    const double d = moved(*this, theta, j);
    sum += diagonal[j] * d * d;
  }
  for (const Tied& some : tied) {
    const double together = sum_of(some, [&](std::size_t j) { return moved(*this, theta, j); });
    sum += some.weight * together * together;
  }
  return 0.5 * sum;
}

void Quadratic::add_gradient(Params theta, double* gradient) const {
  if (origin.empty()) return add_product(theta, gradient);
  std::vector<double> distance(theta.begin(), theta.end());
  for (std::size_t j = 0; j < distance.size(); ++j) distance[j] -= origin[j];
  add_product(distance, gradient);
}

void Quadratic::add_curvature(std::size_t parameters, double* hessian) const {
  for (std::size_t j = 0; j < diagonal.size(); ++j) hessian[j * parameters + j] += diagonal[j];
  for (const Tied& some : tied) {
    for (std::size_t a = 0; a < some.count; ++a) {
      double* const row = hessian + (some.first + a * some.step) * parameters;
      for (std::size_t b = 0; b <= a; ++b) row[some.first + b * some.step] += some.weight;
    }
  }
}

void Quadratic::add_product(Params direction, double* out) const {
  for (std::size_t j = 0; j < diagonal.size(); ++j) out[j] += diagonal[j] * direction[j];
  for (const Tied& some : tied) {
    const double together = some.weight * sum_of(some, [&](std::size_t j) { return direction[j]; });
    for (std::size_t i = 0; i < some.count; ++i) out[some.first + i * some.step] += together;
  }
}

}  // namespace credence::map
