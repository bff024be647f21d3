#include "metrics/numbers/fourier.hpp"

#include <cmath>
#include <numbers>

#include "core/wide.hpp"

namespace credence::metrics {
namespace {

/// The halves of a block become the sum and the turned difference of its halves.
[[gnu::always_inline]] inline void turn_block(const double* cosine, const double* sine,
                                              std::size_t half, double* __restrict real,
                                              double* __restrict imaginary) {
  double* const __restrict far_real = real + half;
  double* const __restrict far_imaginary = imaginary + half;
  for (std::size_t j = 0; j < half; ++j) {
    const double re = real[j] - far_real[j], im = imaginary[j] - far_imaginary[j];
    real[j] += far_real[j];
    imaginary[j] += far_imaginary[j];
    far_real[j] = cosine[j] * re - sine[j] * im;
    far_imaginary[j] = cosine[j] * im + sine[j] * re;
  }
}

[[gnu::always_inline]] inline void turn_all(const double* cosines, const double* sines,
                                            std::size_t size, double* real, double* imaginary) {
  for (std::size_t half = size / 2; half > 0; half /= 2) {
    for (std::size_t start = 0; start < size; start += 2 * half) {
      turn_block(cosines + half, sines + half, half, real + start, imaginary + start);
    }
  }
}

#ifdef CREDENCE_WIDE
/// The same for wider registers. Nothing is contracted, so the bits are the same.
__attribute__((target("avx2"), optimize("O3"))) void turn_wide(const double* cosines,
                                                               const double* sines,
                                                               std::size_t size, double* real,
                                                               double* imaginary) {
  turn_all(cosines, sines, size, real, imaginary);
}
#endif

}  // namespace

Fourier::Fourier(std::size_t size) : size_(size), cosines_(size), sines_(size), places_(size, 0) {
  for (std::size_t half = size / 2; half > 0; half /= 2) {
    for (std::size_t j = 0; j < half; ++j) {
      const double angle = -std::numbers::pi * static_cast<double>(j) / static_cast<double>(half);
      cosines_[half + j] = std::cos(angle);
      sines_[half + j] = std::sin(angle);
    }
  }
  for (std::size_t k = 1; k < size; ++k) {
    places_[k] = places_[k / 2] / 2 + (k % 2 == 1 ? size / 2 : 0);
  }
}

void Fourier::transform(double* real, double* imaginary) const {
#ifdef CREDENCE_WIDE
  if (core::kHasWide) return turn_wide(cosines_.data(), sines_.data(), size_, real, imaginary);
#endif
  turn_all(cosines_.data(), sines_.data(), size_, real, imaginary);
}

}  // namespace credence::metrics
