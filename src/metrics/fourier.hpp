// Discrete Fourier transform of a length that is a power of two.
#pragma once

#include <cmath>
#include <complex>
#include <cstddef>
#include <numbers>
#include <utility>
#include <vector>

namespace credence::metrics {

class Fourier {
 public:
  /// `size` must be a power of two.
  explicit Fourier(std::size_t size) : turns_(size / 2) {
    for (std::size_t j = 0; j < turns_.size(); ++j) {
      const double angle =
          -2.0 * std::numbers::pi * static_cast<double>(j) / static_cast<double>(size);
      turns_[j] = {std::cos(angle), std::sin(angle)};
    }
  }

  /// In place: x_k becomes sum_j x_j exp(-2 pi i j k / size) (Cooley, Tukey 1965).
  void transform(std::vector<std::complex<double>>& x) const {
    const std::size_t n = x.size();
    for (std::size_t i = 1, reversed = 0; i < n; ++i) {
      std::size_t bit = n / 2;
      for (; reversed & bit; bit /= 2) reversed ^= bit;
      reversed ^= bit;
      if (i < reversed) std::swap(x[i], x[reversed]);
    }
    for (std::size_t length = 2; length <= n; length *= 2) {
      const std::size_t half = length / 2, step = n / length;
      for (std::size_t start = 0; start < n; start += length) {
        for (std::size_t j = 0; j < half; ++j) {
          const std::complex<double> w = turns_[j * step], a = x[start + j],
                                     b = x[start + j + half];
          // Written out: the operator would look for infinities first.
          const std::complex<double> turned{w.real() * b.real() - w.imag() * b.imag(),
                                            w.real() * b.imag() + w.imag() * b.real()};
          x[start + j] = a + turned;
          x[start + j + half] = a - turned;
        }
      }
    }
  }

 private:
  std::vector<std::complex<double>> turns_;
};

}  // namespace credence::metrics
