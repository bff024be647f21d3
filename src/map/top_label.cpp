#include "map/top_label.hpp"

#include <algorithm>
#include <array>

#include "core/kernels.hpp"
#include "core/lease.hpp"
#include "map/smooth.hpp"

namespace credence::map {
namespace {

constexpr std::size_t kMostRows = 64;

using Column = std::array<double, kMostRows>;

/// Where the other classes together underflow beside the top, they are compared among themselves.
constexpr double kLost = 1e-280;

/// The largest logit of each row becomes nothing beside the others.
void remove_top(double* u, std::size_t classes, std::size_t stride, const Column& top) {
  Column least;
  for (std::size_t r = 0; r < stride; ++r) least[r] = u[(top[r] == 0.0 ? 1 : 0) * stride + r];
  for (std::size_t k = 0; k < classes; ++k) {
    for (std::size_t r = 0; r < stride; ++r) {
      if (static_cast<double>(k) != top[r]) least[r] = std::min(least[r], u[k * stride + r]);
    }
  }
  for (std::size_t r = 0; r < stride; ++r) {
    u[static_cast<std::size_t>(top[r]) * stride + r] = least[r] - 2000.0;
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

namespace {

/// replace_top for a single row, step by step the same.
void replace_top_of_row(double* u, std::size_t classes, const Recalibrate& recalibrate) {
  const core::Lease<double> e(classes);
  double sum = 0.0, others = 0.0;
  const std::size_t top = core::kernels().exp_from_top_row(u, classes, e.data(), &sum);
  double g = 1.0 / sum;
  recalibrate({&g, 1});
  e[top] = 0.0;
  for (std::size_t k = 0; k < classes; ++k) others += e[k];
  const double* from = e.data();
  if (others < kLost) {
    Column at;
    at[0] = static_cast<double>(top);
    remove_top(u, classes, 1, at);
    core::kernels().softmax_row(u, classes, nullptr);
    others = 1.0;
    from = u;
  }
  const double share = (1.0 - g) / others;
  for (std::size_t k = 0; k < classes; ++k) u[k] = from[k] * share;
  u[top] = g;
}

}  // namespace

void replace_top(double* u, std::size_t classes, std::size_t stride,
                 const Recalibrate& recalibrate) {
  if (stride == 1) return replace_top_of_row(u, classes, recalibrate);
  Column top, sum, g, others;
  const core::Lease<double> e(classes * stride);
  core::kernels().f64.exp_from_top(u, classes, e.data(), sum.data(), top.data());
  for (std::size_t r = 0; r < stride; ++r) g[r] = 1.0 / sum[r];
  recalibrate({g.data(), stride});
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
    softmax(u, classes, stride, lse.data());
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

}  // namespace credence::map
