// Discrete Fourier transform of a length that is a power of two.
#pragma once

#include <cstddef>
#include <vector>

namespace credence::metrics {

class Fourier {
 public:
  /// `size` must be a power of two.
  explicit Fourier(std::size_t size);

  /// In place: x_k becomes sum_j x_j exp(-2 pi i j k / size) (Cooley, Tukey 1965), left at
  /// place(k).
  void transform(double* real, double* imaginary) const;
  /// Where the transform leaves coefficient k: its bits reversed.
  std::size_t place(std::size_t k) const { return places_[k]; }

 private:
  std::size_t size_;
  std::vector<double> cosines_, sines_;  ///< at half + j: of the angle -pi j / half, j < half
  std::vector<std::size_t> places_;
};

}  // namespace credence::metrics
