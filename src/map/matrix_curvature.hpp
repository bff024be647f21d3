// The Hessian of a matrix times inputs x from its pairs. Entry ((k,a),(l,b)) is the sum over rows
// of (p_k [k=l] - p_k p_l) x_a x_b, with a last x = 1 for the biases: symmetric in k, l and in a,
// b. The first factor sums to 0 over l, so pairs k > l are enough: for 10 classes and their scores
// 2,970 sums instead of 6,105.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "map/smooth.hpp"

namespace credence::map {

/// Sums over rows of p_k p_l x_a x_b for all pairs k > l and a >= b, packed pair by pair.
template <class T>
class PairProducts {
 public:
  PairProducts(std::size_t classes, std::size_t inputs, std::size_t capacity)
      : classes_(classes),
        inputs_(inputs),
        capacity_(capacity),
        spread_(output_pairs(classes) * capacity_, T(0)),
        products_(input_pairs(inputs) * capacity_, T(0)) {}

  static std::size_t output_pairs(std::size_t classes) { return classes * (classes - 1) / 2; }
  static std::size_t input_pairs(std::size_t inputs) { return (inputs + 1) * (inputs + 2) / 2; }

  /// Adds the rows of a tile. Several tiles are gathered before they are multiplied: long sums
  /// share the cost of adding up the lanes at their ends.
  void add(const T* p, const T* x, std::size_t stride, double* packed) {
    T* out = spread_.data() + filled_;
    for (std::size_t k = 1; k < classes_; ++k) {
      for (std::size_t l = 0; l < k; ++l, out += capacity_) {
        product(p + k * stride, p + l * stride, stride, out);
      }
    }
    out = products_.data() + filled_;
    for (std::size_t a = 0; a < inputs_; ++a) {
      for (std::size_t b = 0; b <= a; ++b, out += capacity_) {
        product(x + a * stride, x + b * stride, stride, out);
      }
    }
    for (std::size_t b = 0; b < inputs_; ++b, out += capacity_) {
      std::copy_n(x + b * stride, stride, out);
    }
    std::fill_n(out, stride, T(1));
    filled_ += stride;
    if (filled_ == capacity_) flush(packed);
  }

  /// Must follow the last tile of a block.
  void flush(double* packed) {
    if (filled_ == 0) return;
    const std::size_t outputs = output_pairs(classes_), inputs = input_pairs(inputs_);
    for (std::size_t i = 0; filled_ < capacity_ && i < outputs; ++i) {
      std::fill(&spread_[i * capacity_] + filled_, &spread_[i * capacity_] + capacity_, T(0));
    }
    core::tile_kernels<T>().multiply_transposed(spread_.data(), outputs, products_.data(), inputs,
                                                capacity_, packed, inputs, false);
    filled_ = 0;
  }

 private:
  static void product(const T* x, const T* y, std::size_t count, T* out) {
    for (std::size_t r = 0; r < count; ++r) out[r] = x[r] * y[r];
  }

  std::size_t classes_, inputs_, capacity_, filled_ = 0;
  std::vector<T> spread_;    ///< p_k p_l for k > l
  std::vector<T> products_;  ///< x_a x_b for a >= b
};

/// `Inputs` has count(classes), without the 1, and of(tile): a row of a tile for each.
template <class Inputs>
class MatrixCurvature {
 public:
  explicit MatrixCurvature(std::size_t classes)
      : pairs_(classes, Inputs::count(classes), classes <= 16 ? 256 : core::tile_rows(classes)) {}

  static std::size_t packed_size(std::size_t classes) {
    return output_pairs(classes) * input_pairs(classes);
  }

  void add(Params, const Tile& tile, const double* p, const double*, double* packed) {
    pairs_.add(p, Inputs::of(tile), tile.stride, packed);
  }
  /// Must follow the last tile of a block.
  void flush(double* packed) { pairs_.flush(packed); }

  /// Sums become the lower triangle of the Hessian: weights row by row, then the biases.
  static void unpack(std::size_t classes, std::vector<double>& sums_of_pairs) {
    const std::size_t columns = Inputs::count(classes);
    const std::size_t biases = classes * columns, size = biases + classes;
    const std::vector<double> packed =
        std::exchange(sums_of_pairs, std::vector<double>(size * size));
    double* const hessian = sums_of_pairs.data();
    const std::size_t inputs = input_pairs(classes);
    const auto parameter = [&](std::size_t k, std::size_t a) {
      return a < columns ? k * columns + a : biases + k;
    };
    std::vector<double> own(classes * inputs, 0.0);
    const auto put = [&](std::size_t k, std::size_t l, std::size_t a, std::size_t b, double value) {
      const std::size_t i = parameter(k, a), j = parameter(l, b);
      hessian[std::max(i, j) * size + std::min(i, j)] = value;
    };
    std::size_t pair = 0;
    for (std::size_t k = 0; k < classes; ++k) {
      for (std::size_t l = 0; l < k; ++l, ++pair) {
        const double* sums = &packed[pair * inputs];
        for (std::size_t a = 0, at = 0; a <= columns; ++a) {
          for (std::size_t b = 0; b <= a; ++b, ++at) {
            put(k, l, a, b, -sums[at]);
            put(k, l, b, a, -sums[at]);
            own[k * inputs + at] += sums[at];
            own[l * inputs + at] += sums[at];
          }
        }
      }
    }
    for (std::size_t k = 0; k < classes; ++k) {
      for (std::size_t a = 0, at = 0; a <= columns; ++a) {
        for (std::size_t b = 0; b <= a; ++b, ++at) put(k, k, a, b, own[k * inputs + at]);
      }
    }
  }

 private:
  static std::size_t output_pairs(std::size_t classes) {
    return PairProducts<double>::output_pairs(classes);
  }
  static std::size_t input_pairs(std::size_t classes) {
    return PairProducts<double>::input_pairs(Inputs::count(classes));
  }

  PairProducts<double> pairs_;
};

}  // namespace credence::map
