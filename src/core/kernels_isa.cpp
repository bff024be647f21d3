// Compiled once per instruction set, see cmake/library.cmake. Only headers without linkable inline
// functions may be included here: a copy compiled for AVX2 must never serve the baseline.
#include <cstddef>
#include <cstdint>

#include "core/kernels.hpp"

// The two macro steps let CREDENCE_ISA expand before it becomes text.
#define CREDENCE_TEXT_(x) #x
#define CREDENCE_TEXT(x) CREDENCE_TEXT_(x)

namespace credence::core::CREDENCE_ISA {
namespace {

// Each of these uses the ones above it; clang-format would sort them.
// clang-format off
#include "core/lanes.hpp"
#include "core/vector_math.hpp"
#include "core/tile_layout.hpp"
#include "core/tile_products.hpp"
#include "core/tile_softmax.hpp"
#include "core/score_passes.hpp"
// clang-format on

template <class T>
constexpr TileKernels<T> tile_table() {
  return {tile_load<T>,   tile_store<T, float>, tile_store<T, double>,
          exp_array<T>,   log_array<T>,         tile_softmax<T>,
          tile_centre<T>, multiply<T>,          multiply_transposed<T>};
}

}  // namespace

extern const Kernels kKernels;
const Kernels kKernels{
    CREDENCE_TEXT(CREDENCE_ISA), temperature<float>,   temperature<double>, top_confidence,
    softmax_rows<float>,         softmax_rows<double>, log_sum_exp,         tile_table<float>(),
    tile_table<double>()};

}  // namespace credence::core::CREDENCE_ISA
