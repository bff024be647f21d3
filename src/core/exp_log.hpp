// exp and log of single numbers, with the bits of the kernels: those of the C library differ in the
// last one between processors (with and without fused multiplication) and between C libraries.
// Whatever a result depends on is computed with these.
#pragma once

#include "core/kernels.hpp"

namespace credence::core {

/// exp(x) for x <= 0.
inline double exp_nonpositive(double x) {
  const double u[2] = {0.0, x};
  double e[2], sum;
  kernels().exp_from_top_row(u, 2, e, &sum);
  return e[1];
}

/// log(x) for positive normal x.
inline double log_positive(double x) {
  kernels().f64.log_positive(&x, 1);
  return x;
}

/// log(e^x - 1), the inverse of softplus, for positive x; in a form that does not overflow.
inline double inverse_softplus(double x) { return x + log_positive(1.0 - exp_nonpositive(-x)); }

}  // namespace credence::core
