#include "map/pipeline.hpp"

#include <algorithm>
#include <array>

#include "core/kernels.hpp"
#include "core/lease.hpp"
#include "core/parallel.hpp"
#include "map/all_maps.hpp"
#include "map/replace_top.hpp"

namespace credence::map {
namespace {

/// u -> f(u), in place.
template <class M>
void to_logits(const Stage& stage, Gauge gauge, std::size_t classes, double* tile) {
  if constexpr (Differentiable<M>) {
    const std::size_t stride = core::tile_rows(classes);
    const core::Lease<double> u(classes * stride);
    std::copy_n(tile, u.size(), u.data());
    Math<M>::logits(stage.theta, Tile{classes, stride, u.data(), gauge}, tile);
  }
}

/// u -> what a following stage reads, in place.
template <class M>
void to_input(const M& map, const Stage& stage, Gauge gauge, bool shift_matters,
              std::size_t classes, double* tile) {
  if constexpr (Direct<M>) {
    replace_top(map, stage.theta, classes, tile);
    log_of_probabilities(tile, classes * core::tile_rows(classes));
  } else {
    to_logits<M>(stage, gauge, classes, tile);
    if (shift_matters) core::kernels().f64.log_softmax(tile, classes);
  }
}

}  // namespace

bool ignores_shift_behind_a_stage(const MapSpec& map) {
  // Steps ignore a shift, but not its rounding: a confidence may lie on a threshold. Here they do:
  // when they are fitted they read the same numbers, to the same bits.
  return ignores_shift(map, Gauge::log_probs) || has_steps(map);
}

void stage_probabilities(const Stage& stage, Gauge gauge, std::size_t classes, double* tile) {
  std::visit(
      [&]<class M>(const M& map) {
        std::array<double, core::tile_rows(1)> column;
        if constexpr (Direct<M>) {
          replace_top(map, stage.theta, classes, tile);
        } else if constexpr (Scaling<M>) {
          const Tile input{classes, core::tile_rows(classes), tile, gauge};
          Math<M>::factors(stage.theta, input, column.data());
          core::kernels().f64.scaled_softmax(tile, classes, column.data());
        } else {
          to_logits<M>(stage, gauge, classes, tile);
          core::kernels().f64.softmax(tile, classes, column.data());
        }
      },
      stage.map);
}

StageInput::StageInput(Scores scores, Gauge gauge, std::span<const Stage> front,
                       const MapSpec* reader)
    : scores_(scores), gauge_(gauge), front_(front), reader_(reader) {
  const MapSpec* first = front.empty() ? reader : &front.front().map;
  shift_matters_ = gauge == Gauge::log_probs && !(first != nullptr && ignores_shift(*first, gauge));
}

void StageInput::remember_shifts(int threads) {
  if (!shift_matters_) return;
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
  if (shift_matters_ && shifts_.empty()) {
    core::kernels().f64.load_log_probs(z, rows, classes(), tile);
  } else {
    const double* shift = shifts_.empty() ? nullptr : shifts_.data() + first;
    core::kernels().f64.load(z, rows, classes(), shift, tile);
  }
  for (std::size_t i = 0; i < front_.size(); ++i) {
    const Stage& stage = front_[i];
    const MapSpec* next = i + 1 < front_.size() ? &front_[i + 1].map : reader_;
    const bool shift_matters = next == nullptr || !ignores_shift_behind_a_stage(*next);
    const Gauge gauge = i == 0 ? gauge_ : Gauge::log_probs;
    std::visit(
        [&](const auto& map) { to_input(map, stage, gauge, shift_matters, classes(), tile); },
        stage.map);
  }
}

void StageInput::load_rows(std::size_t first, std::size_t rows, float* out,
                           std::size_t stride) const {
  if (front_.empty() && (!shift_matters_ || !shifts_.empty())) {
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
