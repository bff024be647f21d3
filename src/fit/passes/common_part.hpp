// Preconditioners of the matrix map treat one direction apart from all others: moving every class
// alike changes no prediction, so nothing but the penalty holds it.
#pragma once

#include <cstddef>
#include <vector>

#include "map/smooth.hpp"

namespace credence::fit_detail {

/// What the penalty holds of each column moved alike in all classes.
inline std::vector<double> held_in_common(const map::Quadratic& penalty, std::size_t classes) {
  std::vector<double> held(classes + 1, 0.0);
  for (std::size_t k = 0; k < classes; ++k) {
    for (std::size_t a = 0; a < classes; ++a) held[a] += penalty.diagonal[k * classes + a];
    held[classes] += penalty.diagonal[classes * classes + k];
  }
  for (double& sum : held) sum /= static_cast<double>(classes);
  return held;
}

/// out = the common part of `in` over `common`, plus what solve() makes of the rest. `solve` is
/// given the rest as one row per class, its bias last, and changes it in place; `in` and `out` are
/// laid out as theta = [W row-major, c].
template <class Solve>
void solve_apart_from_common(const std::vector<double>& common, std::size_t classes,
                             const double* in, double* out, const Solve& solve) {
  const std::size_t side = classes + 1;
  const auto place = [&](std::size_t k, std::size_t a) {
    return a < classes ? k * classes + a : classes * classes + k;
  };
  std::vector<double> mean(side, 0.0), after(side, 0.0), rest(classes * side);
  for (std::size_t k = 0; k < classes; ++k) {
    for (std::size_t a = 0; a < side; ++a) {
      mean[a] += in[place(k, a)] / static_cast<double>(classes);
    }
  }
  for (std::size_t k = 0; k < classes; ++k) {
    for (std::size_t a = 0; a < side; ++a) rest[k * side + a] = in[place(k, a)] - mean[a];
  }
  solve(rest.data());
  for (std::size_t k = 0; k < classes; ++k) {
    for (std::size_t a = 0; a < side; ++a) {
      after[a] += rest[k * side + a] / static_cast<double>(classes);
    }
  }
  for (std::size_t k = 0; k < classes; ++k) {
    for (std::size_t a = 0; a < side; ++a) {
      out[place(k, a)] = rest[k * side + a] + (mean[a] / common[a] - after[a]);
    }
  }
}

}  // namespace credence::fit_detail
