#include "map/top_label.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/kernels.hpp"
#include "core/lease.hpp"

namespace credence::map {
namespace {

constexpr std::size_t kMostRows = 64;

using Column = std::array<double, kMostRows>;

/// Where the other classes together underflow beside the top, they are compared among themselves.
constexpr double kLost = 1e-280;

/// The largest logit of each row becomes nothing beside the others.
void remove_top(double* u, std::size_t classes, std::size_t stride, const Column& top) {
  Column best;
  for (std::size_t r = 0; r < stride; ++r) best[r] = u[(top[r] == 0.0 ? 1 : 0) * stride + r];
  for (std::size_t k = 0; k < classes; ++k) {
    for (std::size_t r = 0; r < stride; ++r) {
      if (static_cast<double>(k) != top[r]) best[r] = std::max(best[r], u[k * stride + r]);
    }
  }
  for (std::size_t r = 0; r < stride; ++r) {
    // Far below also where the logits are so large that 2000 less is the same number.
    u[static_cast<std::size_t>(top[r]) * stride + r] = best[r] - 2000.0 - std::abs(best[r]);
  }
}

}  // namespace

void tile_top(const double* u, std::size_t classes, double* confidence, std::uint32_t* top) {
  const std::size_t stride = core::tile_rows(classes);
  Column index, sum;
  const core::Lease<double> e(classes * stride);
  core::kernels().f64.exp_from_top(u, classes, e.data(), sum.data(), index.data());
  for (std::size_t r = 0; r < stride; ++r) {
    confidence[r] = 1.0 / sum[r];
    top[r] = static_cast<std::uint32_t>(index[r]);
  }
}

template <Direct M>
void replace_top(const M& map, Params theta, std::size_t classes, double* u) {
  const std::size_t stride = core::tile_rows(classes);
  Column top, sum, g, others;
  const core::Lease<double> e(classes * stride);
  core::kernels().f64.exp_from_top(u, classes, e.data(), sum.data(), top.data());
  for (std::size_t r = 0; r < stride; ++r) g[r] = top_label_value(map, theta, 1.0 / sum[r]);
  for (std::size_t r = 0; r < stride; ++r) e[static_cast<std::size_t>(top[r]) * stride + r] = 0.0;
  std::fill_n(others.begin(), stride, 0.0);
  for (std::size_t k = 0; k < classes; ++k) {
    for (std::size_t r = 0; r < stride; ++r) others[r] += e[k * stride + r];
  }
  // Those rows only, since no row may depend on its neighbours.
  bool lost = false;
  for (std::size_t r = 0; r < stride; ++r) lost = lost || others[r] < kLost;
  if (lost) {
    Column lse;
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

template <Direct M>
void replace_top_of_row(const M& map, Params theta, std::size_t classes, double* u, double* p) {
  double sum = 0.0, others = 0.0;
  const std::size_t top = core::kernels().exp_from_top_row(u, classes, p, &sum);
  const double g = top_label_value(map, theta, 1.0 / sum);
  p[top] = 0.0;
  for (std::size_t k = 0; k < classes; ++k) others += p[k];
  if (others < kLost) {
    Column at;
    at[0] = static_cast<double>(top);
    remove_top(u, classes, 1, at);
    core::kernels().softmax_row_f64(u, classes, p);
    others = 1.0;
  }
  const double share = (1.0 - g) / others;
  for (std::size_t k = 0; k < classes; ++k) p[k] *= share;
  p[top] = g;
}

template void replace_top(const TopLabelIsotonic&, Params, std::size_t, double*);
template void replace_top(const TopLabelHistogram&, Params, std::size_t, double*);
template void replace_top_of_row(const TopLabelIsotonic&, Params, std::size_t, double*, double*);
template void replace_top_of_row(const TopLabelHistogram&, Params, std::size_t, double*, double*);

void log_of_probabilities(double* p, std::size_t count) {
  constexpr double kLeast = std::numeric_limits<float>::min();
  for (std::size_t i = 0; i < count; ++i) p[i] = std::max(p[i], kLeast);
  core::kernels().f64.log_positive(p, count);
}

}  // namespace credence::map
