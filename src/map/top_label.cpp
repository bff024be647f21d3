#include "map/top_label.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/kernels.hpp"
#include "core/lease.hpp"

namespace credence::map {

void remove_top(double* u, std::size_t classes, std::size_t stride, const TopColumn& top) {
  TopColumn best;
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

void tile_top(const double* u, std::size_t classes, double* confidence, std::uint32_t* top) {
  const std::size_t stride = core::tile_rows(classes);
  TopColumn index, sum;
  const core::Lease<double> e(classes * stride);
  core::kernels().f64.exp_from_top(u, classes, e.data(), sum.data(), index.data());
  for (std::size_t r = 0; r < stride; ++r) {
    confidence[r] = 1.0 / sum[r];
    top[r] = static_cast<std::uint32_t>(index[r]);
  }
}

void log_of_probabilities(double* p, std::size_t count) {
  constexpr double kLeast = std::numeric_limits<float>::min();
  for (std::size_t i = 0; i < count; ++i) p[i] = std::max(p[i], kLeast);
  core::kernels().f64.log_positive(p, count);
}

}  // namespace credence::map
