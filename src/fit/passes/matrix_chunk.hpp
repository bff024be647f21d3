// One pass over some rows for a matrix map, class by class: x to logits to probabilities and, for
// dv, to the gradient.
#pragma once

#include <algorithm>
#include <vector>

#include "core/kernels.hpp"
#include "credence/solver.hpp"

namespace credence::fit_detail {

/// Parameters: weights row by row, then biases.
template <class T>
struct MatrixWeights {
  std::size_t classes, inputs;
  const T* weights;
  const T* bias() const { return weights + classes * inputs; }
};

/// Buffers for a chunk of `capacity` rows, a multiple of 16.
template <class T>
class MatrixChunk {
 public:
  MatrixChunk(std::size_t classes, std::size_t inputs, std::size_t capacity)
      : classes_(classes),
        inputs_(inputs),
        capacity_(capacity),
        v_(classes * capacity),
        lse_(capacity),
        ones_(capacity, T(1)) {}

  /// Logits, then probabilities, then dv.
  T* data() { return v_.data(); }
  std::size_t size() const { return v_.size(); }

  void logits(const MatrixWeights<T>& by, const T* x) {
    kernels().multiply(by.weights, inputs_, classes_, inputs_, by.bias(), x, data(), capacity_);
  }
  /// Logits become probabilities, 0 in rows past the end, which must not count; returns the
  /// log-sum-exp of every row.
  const T* softmax(std::size_t rows) {
    kernels().wide_softmax(data(), classes_, capacity_, lse_.data());
    for (std::size_t k = 0; rows < capacity_ && k < classes_; ++k) {
      std::fill(data() + k * capacity_ + rows, data() + (k + 1) * capacity_, T(0));
    }
    return lse_.data();
  }
  /// gradient += sum over rows of dv (x, 1)^T, laid out as parameters are.
  void add_gradient(const T* dv, const T* x, double* gradient) const {
    kernels().multiply_transposed(dv, classes_, x, inputs_, capacity_, gradient, inputs_, false);
    kernels().multiply_transposed(dv, classes_, ones_.data(), 1, capacity_,
                                  gradient + classes_ * inputs_, 1, false);
  }

 private:
  static const core::TileKernels<T>& kernels() { return core::tile_kernels<T>(); }

  std::size_t classes_, inputs_, capacity_;
  std::vector<T> v_, lse_, ones_;
};

}  // namespace credence::fit_detail
