#include "map/pipeline.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "core/kernels.hpp"
#include "core/lease.hpp"
#include "core/parallel.hpp"
#include "map/all_maps.hpp"
#include "map/top_label.hpp"

namespace credence::map {
namespace {

constexpr std::size_t kMostRows = 64;
using Column = std::array<double, kMostRows>;

/// u -> f(u), in place.
template <class M>
void to_logits(const M&, Params theta, std::size_t classes, std::size_t stride, double* tile) {
  if constexpr (Smooth<M>) {
    const core::Lease<double> u(classes * stride);
    std::copy_n(tile, u.size(), u.data());
    Math<M>::logits(theta, Tile{classes, stride, u.data()}, tile);
  }
}

template <class M>
void to_probabilities(const M& map, Params theta, std::size_t classes, std::size_t stride,
                      double* tile) {
  if constexpr (Direct<M>) {
    replace_top(tile, classes, stride, [&](std::span<double> confidence) {
      for (double& c : confidence) c = top_label_value(map, theta, c);
    });
  } else {
    to_logits(map, theta, classes, stride, tile);
    Column lse;
    softmax(tile, classes, stride, stride == 1 ? nullptr : lse.data());
  }
}

}  // namespace

void stage_probabilities(const MapSpec& map, Params theta, std::size_t classes, std::size_t stride,
                         double* tile) {
  std::visit([&](const auto& m) { to_probabilities(m, theta, classes, stride, tile); }, map);
}

void stage_log_probs(const MapSpec& map, Params theta, std::size_t classes, std::size_t stride,
                     double* tile) {
  std::visit(
      [&]<class M>(const M& m) {
        if constexpr (Direct<M>) {
          to_probabilities(m, theta, classes, stride, tile);
          constexpr double kLeast = std::numeric_limits<float>::min();
          for (std::size_t i = 0; i < classes * stride; ++i) tile[i] = std::max(tile[i], kLeast);
          core::kernels().f64.log_positive(tile, classes * stride);
        } else {
          to_logits(m, theta, classes, stride, tile);
          const core::Lease<double> p(classes * stride);
          std::copy_n(tile, p.size(), p.data());
          Column lse;
          softmax(p.data(), classes, stride, lse.data());
          for (std::size_t k = 0; k < classes; ++k) {
            for (std::size_t r = 0; r < stride; ++r) tile[k * stride + r] -= lse[r];
          }
        }
      },
      map);
}

Gauge gauge_read_by(const MapSpec& map, Gauge gauge) {
  return std::visit(
      [&]<class M>(const M&) {
        // Steps ignore a shift too, but not its rounding: a confidence may lie on a threshold.
        constexpr bool kIgnoresShift = std::same_as<M, Identity> || std::same_as<M, Temperature>;
        return kIgnoresShift ? Gauge::raw : gauge;
      },
      map);
}

void load_row(const float* scores, std::size_t classes, Gauge gauge, std::span<const Stage> front,
              double* u) {
  const double shift =
      gauge == Gauge::log_probs ? core::kernels().log_sum_exp_row(scores, classes) : 0.0;
  for (std::size_t k = 0; k < classes; ++k) u[k] = static_cast<double>(scores[k]) - shift;
  for (const Stage& stage : front) stage_log_probs(stage.map, stage.theta, classes, 1, u);
}

StageInput::StageInput(Scores scores, Gauge gauge, std::span<const Stage> front)
    : scores_(scores), gauge_(gauge), front_(front) {}

void StageInput::remember_shifts(int threads) {
  if (gauge_ == Gauge::raw) return;
  constexpr std::size_t kRows = 1024;
  shifts_.resize(rows());
  core::parallel_for(threads, (rows() + kRows - 1) / kRows, [&](std::size_t block) {
    const std::size_t first = block * kRows;
    core::kernels().log_sum_exp(scores_.row(first).data(), std::min(kRows, rows() - first),
                                classes(), shifts_.data() + first);
  });
}

void StageInput::load(std::size_t first, std::size_t rows, double* tile) const {
  const float* z = scores_.row(first).data();
  if (gauge_ == Gauge::log_probs && shifts_.empty()) {
    core::kernels().f64.load_log_probs(z, rows, classes(), tile);
  } else {
    const double* shift = shifts_.empty() ? nullptr : shifts_.data() + first;
    core::kernels().f64.load(z, rows, classes(), shift, tile);
  }
  const std::size_t stride = core::tile_rows(classes());
  for (const Stage& stage : front_) {
    stage_log_probs(stage.map, stage.theta, classes(), stride, tile);
  }
}

void StageInput::load_rows(std::size_t first, std::size_t rows, float* out,
                           std::size_t stride) const {
  if (front_.empty() && (gauge_ == Gauge::raw || !shifts_.empty())) {
    for (std::size_t r = 0; r < rows; ++r) {
      const float* z = scores_.row(first + r).data();
      const double shift = shifts_.empty() ? 0.0 : shifts_[first + r];
      for (std::size_t k = 0; k < classes(); ++k) {
        out[r * stride + k] = static_cast<float>(static_cast<double>(z[k]) - shift);
      }
    }
    return;
  }
  const std::size_t tile_rows = core::tile_rows(classes());
  std::vector<double> tile(classes() * tile_rows);
  for (std::size_t done = 0; done < rows; done += tile_rows) {
    const std::size_t here = std::min(tile_rows, rows - done);
    load(first + done, here, tile.data());
    for (std::size_t r = 0; r < here; ++r) {
      for (std::size_t k = 0; k < classes(); ++k) {
        out[(done + r) * stride + k] = static_cast<float>(tile[k * tile_rows + r]);
      }
    }
  }
}

}  // namespace credence::map
