#include "map/row.hpp"

#include <algorithm>
#include <utility>

#include "core/kernels.hpp"
#include "core/lease.hpp"
#include "map/all_maps.hpp"
#include "map/pipeline.hpp"
#include "map/replace_top.hpp"

namespace credence::map {
namespace {

void softmax(const double* v, std::size_t classes, float* p) {
  core::kernels().softmax_row_f32(v, classes, p);
}
void softmax(const double* v, std::size_t classes, double* p) {
  core::kernels().softmax_row_f64(v, classes, p);
}

void scaled_softmax(const double* u, std::size_t classes, double factor, float* p) {
  core::kernels().scaled_softmax_row_f32(u, classes, factor, p);
}
void scaled_softmax(const double* u, std::size_t classes, double factor, double* p) {
  core::kernels().scaled_softmax_row_f64(u, classes, factor, p);
}

/// Two rows of numbers: every step reads `in` and writes `out`.
struct Row {
  double *in, *out;
  std::size_t classes;
};

/// Leaves f(in) in `out`.
template <class M>
void to_logits(const Stage& stage, Gauge gauge, Row& row) {
  if constexpr (Differentiable<M>) {
    Math<M>::logits(stage.theta, Tile{row.classes, 1, row.in, gauge}, row.out);
  } else {
    std::swap(row.in, row.out);
  }
}

/// Leaves in `in` what a following stage reads.
void to_input(const Stage& stage, Gauge gauge, bool shift_matters, Row& row) {
  std::visit(
      [&]<class M>(const M& map) {
        if constexpr (Direct<M>) {
          replace_top_of_row(map, stage.theta, row.classes, row.in, row.out);
          log_of_probabilities(row.out, row.classes);
        } else {
          to_logits<M>(stage, gauge, row);
          if (shift_matters) {
            core::kernels().log_softmax_row(row.out, row.classes, row.in);
            return;
          }
        }
        std::swap(row.in, row.out);
      },
      stage.map);
}

template <class T>
void to_probabilities(const Stage& stage, Gauge gauge, Row& row, T* probabilities) {
  std::visit(
      [&]<class M>(const M& map) {
        if constexpr (Direct<M>) {
          replace_top_of_row(map, stage.theta, row.classes, row.in, row.out);
          for (std::size_t k = 0; k < row.classes; ++k) {
            probabilities[k] = static_cast<T>(row.out[k]);
          }
        } else if constexpr (Scaling<M>) {
          double factor;
          Math<M>::factors(stage.theta, Tile{row.classes, 1, row.in, gauge}, &factor);
          scaled_softmax(row.in, row.classes, factor, probabilities);
        } else {
          to_logits<M>(stage, gauge, row);
          softmax(row.out, row.classes, probabilities);
        }
      },
      stage.map);
}

template <class T>
void pass_through(std::span<const Stage> stages, Gauge gauge, std::size_t classes,
                  const float* scores, T* probabilities) {
  const core::Lease<double> u(classes), v(classes);
  Row row{u.data(), v.data(), classes};
  if (gauge == Gauge::raw || ignores_shift(stages.front().map, gauge)) {
    core::kernels().load_row(scores, classes, row.in);
  } else {
    core::kernels().load_log_probs_row(scores, classes, row.in);
  }
  for (std::size_t i = 0; i + 1 < stages.size(); ++i) {
    to_input(stages[i], gauge, !ignores_shift_behind_a_stage(stages[i + 1].map), row);
    gauge = Gauge::log_probs;
  }
  to_probabilities(stages.back(), gauge, row, probabilities);
}

}  // namespace

void row_probabilities(std::span<const Stage> stages, Gauge gauge, std::size_t classes,
                       const float* scores, float* probabilities) {
  pass_through(stages, gauge, classes, scores, probabilities);
}
void row_probabilities(std::span<const Stage> stages, Gauge gauge, std::size_t classes,
                       const float* scores, double* probabilities) {
  pass_through(stages, gauge, classes, scores, probabilities);
}

}  // namespace credence::map
