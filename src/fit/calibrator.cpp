#include "credence/calibrator.hpp"

#include <algorithm>
#include <string>

#include "core/array_kernels.hpp"
#include "core/kernels.hpp"
#include "core/lease.hpp"
#include "core/parallel.hpp"
#include "credence/error.hpp"
#include "credence/rounded.hpp"
#include "fit/apply_row.hpp"
#include "map/about.hpp"
#include "map/pipeline.hpp"
#include "map/row.hpp"

namespace credence {
namespace {

/// Rows that a thread takes at a time, whole tiles of them.
std::size_t rows_per_task(std::size_t classes) {
  constexpr std::size_t kScores = std::size_t{1} << 15U, kTile = core::tile_rows(1);
  return std::max(kScores / classes / kTile, std::size_t{1}) * kTile;
}

/// 1/T when the calibrator is softmax(z / T), otherwise 0.
double inverse_temperature(const Calibrator& calibrator) {
  if (calibrator.is_pool() || calibrator.stages.size() != 1) return 0.0;
  const Stage& stage = calibrator.stages.front();
  return map::uniform_scale(stage).value_or(0.0);
}

void store(const double* tile, std::size_t rows, std::size_t classes, float* out) {
  core::kernels().f64.store_f32(tile, rows, classes, out);
}
void store(const double* tile, std::size_t rows, std::size_t classes, double* out) {
  core::kernels().f64.store_f64(tile, rows, classes, out);
}
void softmax(const float* z, std::size_t rows, std::size_t classes, double b, float* out) {
  core::kernels().softmax_f32(z, rows, classes, b, out);
}
void softmax(const float* z, std::size_t rows, std::size_t classes, double b, double* out) {
  core::kernels().softmax_f64(z, rows, classes, b, out);
}

void softmax_row(const float* z, std::size_t classes, double b, float* out) {
  core::kernels().softmax_scores_row_f32(z, classes, b, out);
}
void softmax_row(const float* z, std::size_t classes, double b, double* out) {
  core::kernels().softmax_scores_row_f64(z, classes, b, out);
}

/// Up to this many rows it is faster to take one after the other than a whole tile.
constexpr std::size_t kFewRows = 8;

/// sum += weight * values. One multiplication and one addition each, so that tiles and rows have
/// the same bits.
void add_weighted(double weight, const double* values, std::size_t count, double* sum) {
  for (std::size_t i = 0; i < count; ++i) sum[i] += weight * values[i];
}

template <class T>
void pool_row(const Calibrator& pool, const float* scores, T* out) {
  const std::size_t classes = pool.class_count;
  const core::Lease<double> sum(classes), own(classes);
  std::fill_n(sum.data(), classes, 0.0);
  for (const Member& member : pool.members) {
    map::row_probabilities(member.stages, pool.gauge, classes, scores, own.data());
    add_weighted(member.weight, own.data(), classes, sum.data());
  }
  for (std::size_t k = 0; k < classes; ++k) out[k] = static_cast<T>(sum.data()[k]);
}

template <class T>
void pool_rows(const Calibrator& pool, Scores scores, std::size_t first, std::size_t rows,
               MatrixView<T> out) {
  const std::size_t classes = pool.class_count;
  const std::size_t stride = core::tile_rows(classes);
  const core::Lease<double> sum(classes * stride), own(classes * stride);
  for (std::size_t done = 0; done < rows; done += stride) {
    const std::size_t here = std::min(stride, rows - done);
    std::fill_n(sum.data(), sum.size(), 0.0);
    for (const Member& member : pool.members) {
      const std::span<const Stage> stages(member.stages);
      const map::StageInput input(scores, pool.gauge, stages.first(stages.size() - 1),
                                  &stages.back().map);
      input.load(first + done, here, own.data());
      map::stage_probabilities(stages.back(), input.gauge(), classes, own.data());
      add_weighted(member.weight, own.data(), own.size(), sum.data());
    }
    store(sum.data(), here, classes, out.row(first + done).data());
  }
}

template <class T>
void apply_to_row(const Calibrator& calibrator, const float* scores, T* out) {
  const std::size_t classes = calibrator.class_count;
  if (calibrator.is_pool()) return pool_row(calibrator, scores, out);
  if (const double b = inverse_temperature(calibrator); b != 0.0) {
    return softmax_row(scores, classes, b, out);
  }
  map::row_probabilities(calibrator.stages, calibrator.gauge, classes, scores, out);
}

template <class T>
void apply_rows(const Calibrator& calibrator, Scores scores, std::size_t first, std::size_t rows,
                MatrixView<T> out) {
  const std::size_t classes = scores.cols();
  if (rows <= kFewRows) {
    for (std::size_t i = first; i < first + rows; ++i) {
      apply_to_row(calibrator, scores.row(i).data(), out.row(i).data());
    }
    return;
  }
  if (calibrator.is_pool()) return pool_rows(calibrator, scores, first, rows, out);
  if (const double b = inverse_temperature(calibrator); b != 0.0) {
    softmax(scores.row(first).data(), rows, classes, b, out.row(first).data());
    return;
  }
  const std::span<const Stage> stages(calibrator.stages);
  const map::StageInput input(scores, calibrator.gauge, stages.first(stages.size() - 1),
                              &stages.back().map);
  const std::size_t stride = core::tile_rows(classes);
  const core::Lease<double> tile(classes * stride);
  const Stage& last = calibrator.stages.back();
  for (std::size_t done = 0; done < rows; done += stride) {
    const std::size_t here = std::min(stride, rows - done);
    input.load(first + done, here, tile.data());
    map::stage_probabilities(last, input.gauge(), classes, tile.data());
    store(tile.data(), here, classes, out.row(first + done).data());
  }
}

void check_shapes(const Calibrator& calibrator, Scores scores, std::size_t rows,
                  std::size_t columns) {
  if (scores.cols() != calibrator.class_count) {
    throw Error(ErrorCode::model, "the calibrator was fitted for " +
                                      std::to_string(calibrator.class_count) +
                                      " classes, the scores have " + std::to_string(scores.cols()));
  }
  if (rows != scores.rows() || columns != scores.cols()) {
    throw Error(ErrorCode::usage, "the array for the probabilities must be as large as the scores");
  }
  if (calibrator.stages.empty() && !calibrator.is_pool()) {
    throw Error(ErrorCode::model, "the calibrator has no stage");
  }
}

template <class T>
void apply_all(const Calibrator& calibrator, Scores scores, MatrixView<T> out, int threads) {
  check_shapes(calibrator, scores, out.rows(), out.cols());
  const int workers = core::threads_for(scores.size(), threads);
  // Without a team nothing is put on the heap, not even the task.
  if (workers == 1) return apply_rows(calibrator, scores, 0, scores.rows(), out);
  const std::size_t most = rows_per_task(scores.cols());
  core::parallel_for(workers, (scores.rows() + most - 1) / most, [&](std::size_t task) {
    const std::size_t first = task * most;
    apply_rows(calibrator, scores, first, std::min(most, scores.rows() - first), out);
  });
}

}  // namespace

void fit_detail::apply_row(const Calibrator& calibrator, const float* scores,
                           float* probabilities) {
  apply_to_row(calibrator, scores, probabilities);
}
void fit_detail::apply_row(const Calibrator& calibrator, const float* scores,
                           double* probabilities) {
  apply_to_row(calibrator, scores, probabilities);
}

void Calibrator::apply(Scores scores, MatrixView<double> probabilities, int threads) const {
  apply_all(*this, scores, probabilities, threads);
}
void Calibrator::apply(Scores scores, MatrixView<float> probabilities, int threads) const {
  apply_all(*this, scores, probabilities, threads);
}

void apply_rounded(const Calibrator& calibrator, Scores scores, MatrixView<float> probabilities,
                   int threads) {
  const double b = inverse_temperature(calibrator);
  if (b == 0.0) return calibrator.apply(scores, probabilities, threads);
  check_shapes(calibrator, scores, probabilities.rows(), probabilities.cols());
  const int workers = core::threads_for(scores.size(), threads);
  const std::size_t most = rows_per_task(scores.cols());
  core::parallel_for(workers, (scores.rows() + most - 1) / most, [&](std::size_t task) {
    const std::size_t first = task * most, rows = std::min(most, scores.rows() - first);
    core::array_kernels().softmax_rounded(scores.row(first).data(), rows, scores.cols(), b,
                                          probabilities.row(first).data());
  });
}

std::vector<WeightedStages> Calibrator::parts() const {
  if (!is_pool()) return {{1.0, stages}};
  std::vector<WeightedStages> all;
  for (const Member& member : members) all.push_back({member.weight, member.stages});
  return all;
}

std::vector<const Stage*> Calibrator::all_stages() const {
  std::vector<const Stage*> all;
  for (const WeightedStages& part : parts()) {
    for (const Stage& stage : part.stages) all.push_back(&stage);
  }
  return all;
}

std::size_t Calibrator::parameter_count() const {
  std::size_t count = 0;
  for (const Stage* stage : all_stages()) count += stage->theta.size();
  return count;
}

double Calibrator::temperature() const {
  if (is_pool()) return 0.0;
  if (stages.size() != 1 || !std::holds_alternative<Temperature>(stages.front().map)) return 0.0;
  return 1.0 / stages.front().theta.front();
}

}  // namespace credence
