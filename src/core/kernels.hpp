// The inner loops, compiled once per instruction set and chosen at run time. Every instruction set
// gives the same bits: no contraction, our own exp and log, and sums whose order is part of the
// definition (per row in class order, over rows in lanes of fixed width).
//
// Tiles are class-major: tile[k * stride + r] is class k of row r, so that a vector register holds
// the same class of neighbouring rows and no sum ever crosses a register. A tile has tile_rows(K)
// rows; rows past the end of the data are zero.
#pragma once

#include <cstddef>
#include <cstdint>

namespace credence::core {

/// Sums over rows of one block for v = b * z, with d = z - max z of its row.
struct TemperatureSums {
  double log_sum = 0.0;   ///< sum of log sum_k exp(b d_k)
  double mean = 0.0;      ///< sum of E_p d: the derivative of log_sum with respect to b
  double variance = 0.0;  ///< sum of Var_p d: its second derivative
  double skew = 0.0;      ///< sum of E_p (d - E_p d)^3: its third derivative
};

/// Rows of a tile for K classes: about the size of the level-1 cache, and a multiple of 16.
constexpr std::size_t tile_rows(std::size_t classes) {
  return classes <= 128 ? 64 : classes <= 512 ? 32 : 16;
}

/// What an adaptive temperature looks at, a number per row each: with e = exp(u - top) and their
/// sum S, the largest u, log S, sum_k e (top - u) / S, and the two largest of e / S.
template <class T>
struct Shape {
  T *top, *log_sum, *fall, *first, *second;
};

template <class T>
struct TileKernels {
  /// tile = scores - shift (per row; null for no shift). `rows` may be less than tile_rows.
  void (*load)(const float* scores, std::size_t rows, std::size_t classes, const double* shift,
               T* tile);
  /// tile = scores - their log-sum-exp.
  void (*load_log_probs)(const float* scores, std::size_t rows, std::size_t classes, T* tile);
  /// Row-major copy of the first `rows` rows of a tile.
  void (*store_f32)(const T* tile, std::size_t rows, std::size_t classes, float* out);
  void (*store_f64)(const T* tile, std::size_t rows, std::size_t classes, double* out);
  /// In place: log of positive numbers.
  void (*log_positive)(T* x, std::size_t count);
  /// decay = exp(-|a|), value = log(1 + exp a); for a multiple of 16 numbers.
  void (*softplus)(const T* a, std::size_t count, T* decay, T* value);
  /// Logits become probabilities in place; lse[r] = log sum_k exp.
  void (*softmax)(T* tile, std::size_t classes, T* lse);
  /// u becomes softmax(factor u) in place, with a factor per row.
  void (*scaled_softmax)(T* u, std::size_t classes, const T* factors);
  /// Logits become their log-softmax in place.
  void (*log_softmax)(T* tile, std::size_t classes);
  void (*shape)(const T* u, std::size_t classes, const Shape<T>& shape);
  /// e = exp(u - largest u of the row), nearly correctly rounded in double; sum = their sum in
  /// class order; top = index of the largest, the lowest on ties. e may be u.
  void (*exp_from_top)(const T* u, std::size_t classes, T* e, T* sum, T* top);
  /// Probabilities p and a direction v become p * (v - sum_k p v), in v.
  void (*centre)(const T* p, std::size_t classes, T* v);
  /// softmax and centre for tiles of any multiple of 16 rows.
  void (*wide_softmax)(T* tile, std::size_t classes, std::size_t stride, T* lse);
  void (*wide_centre)(const T* p, std::size_t classes, std::size_t stride, T* v);
  /// v[i][r] = bias[i] + sum_a w[i * ldw + a] u[a][r], for i < m, a < n (bias may be null). The
  /// stride may be 1: a single row.
  void (*multiply)(const T* w, std::size_t ldw, std::size_t m, std::size_t n, const T* bias,
                   const T* u, T* v, std::size_t stride);
  /// c[i * ldc + j] += sum_r x[i][r] y[j][r]; `lower` skips most of j > i.
  void (*multiply_transposed)(const T* x, std::size_t m, const T* y, std::size_t n,
                              std::size_t stride, double* c, std::size_t ldc, bool lower);
};

struct Kernels {
  const char* name;
  /// One block of at most kBlockRows rows. row_max (may be null) receives the largest score.
  void (*temperature_f32)(const float* scores, std::size_t rows, std::size_t classes, double b,
                          TemperatureSums* sums, float* row_max);
  void (*temperature_f64)(const float* scores, std::size_t rows, std::size_t classes, double b,
                          TemperatureSums* sums, float* row_max);
  /// Largest probability of softmax(b z) and its class (lowest index on ties), to float32
  /// precision; in double where that leaves open on which side of a multiple of 1/bins it lies.
  void (*top_confidence_fast)(const float* scores, std::size_t rows, std::size_t classes, double b,
                              double bins, double* confidence, std::uint32_t* top);
  /// The same in double.
  void (*top_confidence)(const float* scores, std::size_t rows, std::size_t classes, double b,
                         double* confidence, std::uint32_t* top);
  /// softmax(b z), row-major.
  void (*softmax_f32)(const float* scores, std::size_t rows, std::size_t classes, double b,
                      float* out);
  void (*softmax_f64)(const float* scores, std::size_t rows, std::size_t classes, double b,
                      double* out);
  /// log sum_k exp(z_k) per row.
  void (*log_sum_exp)(const float* scores, std::size_t rows, std::size_t classes, double* out);
  bool (*all_finite)(const float* values, std::size_t count);
  /// A multiple of 16 numbers, rounded to float32.
  void (*narrow)(const double* from, std::size_t count, float* to);
  /// The same for a single row, without the work on the empty rows of a tile; to the same bits.
  /// What is read and what is written must not be the same, except for softmax_scores_row.
  void (*softmax_scores_row_f32)(const float* scores, std::size_t classes, double b, float* out);
  void (*softmax_scores_row_f64)(const float* scores, std::size_t classes, double b, double* out);
  void (*load_row)(const float* scores, std::size_t classes, double* u);
  void (*load_log_probs_row)(const float* scores, std::size_t classes, double* u);
  /// Logarithms of positive normal numbers.
  void (*log_row_f32)(const float* p, std::size_t classes, float* u);
  void (*log_row_f64)(const double* p, std::size_t classes, float* u);
  void (*softmax_row_f32)(const double* v, std::size_t classes, float* p);
  void (*softmax_row_f64)(const double* v, std::size_t classes, double* p);
  void (*scaled_softmax_row_f32)(const double* u, std::size_t classes, double factor, float* p);
  void (*scaled_softmax_row_f64)(const double* u, std::size_t classes, double factor, double* p);
  double (*softplus_row)(double a);
  void (*log_softmax_row)(const double* v, std::size_t classes, double* u);
  /// v = factor u; v = weights u + biases, class by class (biases may be null).
  void (*scale_row)(double factor, const double* u, std::size_t classes, double* v);
  void (*affine_row)(const double* weights, const double* biases, const double* u,
                     std::size_t classes, double* v);
  void (*shape_row)(const double* u, std::size_t classes, const Shape<double>& shape);
  /// Returns the index of the largest.
  std::size_t (*exp_from_top_row)(const double* u, std::size_t classes, double* e, double* sum);
  /// c[i * ldc + j] += sum_k a[i * step_i + k * step_k] b[k * ldb + j] for i < m, k < depth,
  /// j < n: row-major float32 factors, either order of a, the sum added to float32 or float64.
  void (*multiply_add_f32)(const float* a, std::size_t step_i, std::size_t step_k, std::size_t m,
                           std::size_t depth, const float* b, std::size_t ldb, std::size_t n,
                           float* c, std::size_t ldc);
  void (*multiply_add_f64)(const float* a, std::size_t step_i, std::size_t step_k, std::size_t m,
                           std::size_t depth, const float* b, std::size_t ldb, std::size_t n,
                           double* c, std::size_t ldc);
  /// Rows of probabilities p and of a direction v, `width` apart (a multiple of 8, padded with
  /// zeros), become p * (v - sum_k p v), in v.
  void (*centre_rows)(const float* p, std::size_t rows, std::size_t width, float* v);
  TileKernels<float> f32;
  TileKernels<double> f64;
};

/// The sets of kernels that this processor can run, the baseline first; null after the last.
inline constexpr std::size_t kMostKernels = 3;
void available_kernels(const Kernels* (&sets)[kMostKernels + 1]);

/// The best kernels for this processor, or those named by the environment variable CREDENCE_ISA
/// (`baseline`, `avx2`, `avx512`), which exists to prove that the choice changes no result.
const Kernels& kernels();

template <class T>
const TileKernels<T>& tile_kernels() {
  if constexpr (sizeof(T) == 4) {
    return kernels().f32;
  } else {
    return kernels().f64;
  }
}

}  // namespace credence::core
