// Compiled once per instruction set, see cmake/library.cmake. Only headers without linkable inline
// functions may be included here: a copy compiled for AVX2 or AVX-512 must never serve the
// baseline.
#define XXH_INLINE_ALL
#ifdef __AVX2__
#define XXH_VECTOR 2  // AVX2; registers of 64 bytes wait for memory longer
#endif
#include <xxhash.h>

#include <cstddef>
#include <cstdint>

#include "core/array_kernels.hpp"
#include "core/kernels.hpp"
#include "core/scratch.hpp"

// The two macro steps let CREDENCE_ISA expand before it becomes text.
#define CREDENCE_TEXT_(x) #x
#define CREDENCE_TEXT(x) CREDENCE_TEXT_(x)

namespace credence::core::CREDENCE_ISA {
namespace {

// Each of these uses the ones above it.
// clang-format off
#include "core/lanes.inl"
#include "core/vector_math.inl"
#include "core/tile_layout.inl"
#include "core/tile_products.inl"
#include "core/panel_products.inl"
#include "core/tile_softmax.inl"
#include "core/across_lanes.inl"
#include "core/long_rows.inl"
#include "core/score_passes.inl"
#include "core/rough_top.inl"
#include "core/row_softmax.inl"
#include "core/probability_rows.inl"
#include "core/vote_counts.inl"
#include "core/row_hashes.inl"
// clang-format on

void hash_bytes(void* state, const void* bytes, std::size_t count) {
  XXH3_128bits_update(static_cast<XXH3_state_t*>(state), bytes, count);
}

template <class T>
constexpr TileKernels<T> tile_table() {
  return {.load = tile_load<T>,
          .load_log_probs = tile_load_log_probs<T>,
          .store_f32 = tile_store<T, float>,
          .store_f64 = tile_store<T, double>,
          .log_positive = log_array<T>,
          .softplus = tile_softplus<T>,
          .softmax = tile_softmax<T>,
          .scaled_softmax = tile_scaled_softmax<T>,
          .log_softmax = tile_log_softmax<T>,
          .shape = tile_shape<T>,
          .exp_from_top = tile_exp_from_top<T>,
          .centre = tile_centre<T>,
          .wide_softmax = wide_softmax<T>,
          .wide_centre = wide_centre<T>,
          .multiply = multiply<T>,
          .multiply_transposed = multiply_transposed<T>};
}

}  // namespace

extern const Kernels kKernels;
const Kernels kKernels{.name = CREDENCE_TEXT(CREDENCE_ISA),
                       .temperature_f32 = temperature<float>,
                       .temperature_f64 = temperature<double>,
                       .top_confidence_fast = top_confidence_fast,
                       .top_confidence = top_confidence,
                       .softmax_f32 = softmax_rows<float>,
                       .softmax_f64 = softmax_rows<double>,
                       .log_sum_exp = log_sum_exp,
                       .all_finite = all_finite,
                       .narrow = narrow_array,
                       .softmax_scores_row_f32 = softmax_scores_row<float>,
                       .softmax_scores_row_f64 = softmax_scores_row<double>,
                       .load_row = load_row,
                       .load_log_probs_row = load_log_probs_row,
                       .log_row_f32 = log_row<float>,
                       .log_row_f64 = log_row<double>,
                       .softmax_row_f32 = softmax_row<float>,
                       .softmax_row_f64 = softmax_row<double>,
                       .scaled_softmax_row_f32 = scaled_softmax_row<float>,
                       .scaled_softmax_row_f64 = scaled_softmax_row<double>,
                       .softplus_row = softplus_row,
                       .log_softmax_row = log_softmax_row,
                       .scale_row = scale_row,
                       .affine_row = affine_row,
                       .shape_row = shape_row,
                       .exp_from_top_row = exp_from_top_row,
                       .multiply_add_f32 = multiply_add<float>,
                       .multiply_add_f64 = multiply_add<double>,
                       .centre_rows = centre_rows,
                       .f32 = tile_table<float>(),
                       .f64 = tile_table<double>()};

extern const ArrayKernels kArrayKernels;
const ArrayKernels kArrayKernels{.name = CREDENCE_TEXT(CREDENCE_ISA),
                                 .top_of_rows = top_of_rows,
                                 .sum_counts = sum_counts,
                                 .compress_counts = compress_counts,
                                 .nonzero_bits = nonzero_bits,
                                 .top_accurate = top_accurate,
                                 .top_roughly = top_roughly,
                                 .top_probability_f32 = top_probability<float>,
                                 .top_probability_f64 = top_probability<double>,
                                 .hash_rows = hash_rows,
                                 .look_at_rows = look_at_rows,
                                 .hash_bytes = hash_bytes,
                                 .softmax_rounded = softmax_rows<double, float>};

}  // namespace credence::core::CREDENCE_ISA
