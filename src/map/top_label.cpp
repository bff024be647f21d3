#include "map/top_label.hpp"

#include <array>

#include "core/kernels.hpp"

namespace credence::map {
namespace {

constexpr std::size_t kMostRows = 64;

/// Index of each row's largest logit, the lowest on ties, and the logit.
void find_top(const double* u, std::size_t classes, std::size_t stride, double* best,
              std::uint32_t* top) {
  for (std::size_t r = 0; r < stride; ++r) {
    best[r] = u[r];
    top[r] = 0;
  }
  for (std::size_t k = 1; k < classes; ++k) {
    for (std::size_t r = 0; r < stride; ++r) {
      if (u[k * stride + r] > best[r]) {
        best[r] = u[k * stride + r];
        top[r] = static_cast<std::uint32_t>(k);
      }
    }
  }
}

}  // namespace

void tile_top(const double* u, std::size_t classes, double* confidence, std::uint32_t* top) {
  const std::size_t stride = core::tile_rows(classes);
  std::array<double, kMostRows> best;
  find_top(u, classes, stride, best.data(), top);
  std::vector<double> e(u, u + classes * stride);
  for (std::size_t k = 0; k < classes; ++k) {
    for (std::size_t r = 0; r < stride; ++r) e[k * stride + r] -= best[r];
  }
  core::kernels().f64.exp_nonpositive(e.data(), e.size());
  std::array<double, kMostRows> sum{};
  for (std::size_t k = 0; k < classes; ++k) {
    for (std::size_t r = 0; r < stride; ++r) sum[r] += e[k * stride + r];
  }
  for (std::size_t r = 0; r < stride; ++r) confidence[r] = 1.0 / sum[r];
}

void replace_top(double* u, std::size_t classes, const std::function<double(double)>& value) {
  const std::size_t stride = core::tile_rows(classes);
  std::array<double, kMostRows> confidence, lse;
  std::array<std::uint32_t, kMostRows> top;
  tile_top(u, classes, confidence.data(), top.data());
  // Softmax over the others: take the top out by a logit whose exponential is nothing beside them.
  std::array<double, kMostRows> least;
  for (std::size_t r = 0; r < stride; ++r) least[r] = u[(top[r] == 0 ? 1 : 0) * stride + r];
  for (std::size_t k = 0; k < classes; ++k) {
    for (std::size_t r = 0; r < stride; ++r) {
      if (k != top[r]) least[r] = std::min(least[r], u[k * stride + r]);
    }
  }
  for (std::size_t r = 0; r < stride; ++r) u[top[r] * stride + r] = least[r] - 2000.0;
  core::kernels().f64.softmax(u, classes, lse.data());
  for (std::size_t r = 0; r < stride; ++r) {
    const double g = value(confidence[r]);
    for (std::size_t k = 0; k < classes; ++k) u[k * stride + r] *= 1.0 - g;
    u[top[r] * stride + r] = g;
  }
}

}  // namespace credence::map
