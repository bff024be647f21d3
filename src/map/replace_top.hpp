// Applying a top-label map: the largest probability of each row is recalibrated, the others share
// the rest in proportion.
#pragma once

#include <algorithm>

#include "core/kernels.hpp"
#include "core/lease.hpp"
#include "map/top_label.hpp"

namespace credence::map {

/// A tile of logits becomes probabilities, in place.
template <Direct M>
void replace_top(const M& map, Params theta, std::size_t classes, double* u) {
  const std::size_t stride = core::tile_rows(classes);
  TopColumn top, sum, g, others;
  const core::Lease<double> e(classes * stride);
  core::kernels().f64.exp_from_top(u, classes, e.data(), sum.data(), top.data());
  for (std::size_t r = 0; r < stride; ++r) g[r] = Math<M>::value(map, theta, 1.0 / sum[r]);
  for (std::size_t r = 0; r < stride; ++r) e[static_cast<std::size_t>(top[r]) * stride + r] = 0.0;
  std::fill_n(others.begin(), stride, 0.0);
  for (std::size_t k = 0; k < classes; ++k) {
    for (std::size_t r = 0; r < stride; ++r) others[r] += e[k * stride + r];
  }
  // Those rows only, since no row may depend on its neighbours.
  bool lost = false;
  for (std::size_t r = 0; r < stride; ++r) lost = lost || others[r] < kLost;
  if (lost) {
    TopColumn lse;
    remove_top(u, classes, stride, top);
    core::kernels().f64.softmax(u, classes, lse.data());
    for (std::size_t r = 0; r < stride; ++r) {
      if (others[r] < kLost) {
        others[r] = 1.0;
      } else {
        for (std::size_t k = 0; k < classes; ++k) u[k * stride + r] = e[k * stride + r];
      }
    }
  } else {
    std::copy_n(e.data(), e.size(), u);
  }
  for (std::size_t r = 0; r < stride; ++r) others[r] = (1.0 - g[r]) / others[r];
  for (std::size_t k = 0; k < classes; ++k) {
    for (std::size_t r = 0; r < stride; ++r) u[k * stride + r] *= others[r];
  }
  for (std::size_t r = 0; r < stride; ++r) u[static_cast<std::size_t>(top[r]) * stride + r] = g[r];
}

/// The same for a single row; u is used up.
template <Direct M>
void replace_top_of_row(const M& map, Params theta, std::size_t classes, double* u, double* p) {
  double sum = 0.0, others = 0.0;
  const std::size_t top = core::kernels().exp_from_top_row(u, classes, p, &sum);
  const double g = Math<M>::value(map, theta, 1.0 / sum);
  p[top] = 0.0;
  for (std::size_t k = 0; k < classes; ++k) others += p[k];
  if (others < kLost) {
    TopColumn at;
    at[0] = static_cast<double>(top);
    remove_top(u, classes, 1, at);
    core::kernels().softmax_row_f64(u, classes, p);
    others = 1.0;
  }
  const double share = (1.0 - g) / others;
  for (std::size_t k = 0; k < classes; ++k) p[k] *= share;
  p[top] = g;
}

}  // namespace credence::map
