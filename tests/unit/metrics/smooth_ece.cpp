// SmoothECE against its definition written out.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>

#include "metrics/numbers/fourier.hpp"
#include "samples.hpp"

namespace credence {
namespace {

using samples::Problem;
using samples::problem;

/// The integral of |sum of (conf - r) kernel| / n by the midpoint rule, the kernel with its
/// reflections written out.
double smoothed_error(const Evaluation& scored, double bandwidth) {
  const ExampleScores rows = examples(scored);
  constexpr int kPoints = 2000;
  double total = 0.0;
  for (int j = 0; j < kPoints; ++j) {
    const double t = (j + 0.5) / kPoints;
    double sum = 0.0;
    for (std::size_t i = 0; i < rows.confidence.size(); ++i) {
      double kernel = 0.0;
      for (int image = -3; image <= 3; ++image) {
        for (const double side : {-1.0, 1.0}) {
          const double z = (t - (side * rows.confidence[i] + 2.0 * image)) / bandwidth;
          kernel += std::exp(-0.5 * z * z);
        }
      }
      sum += (rows.confidence[i] - rows.agreement[i]) * kernel;
    }
    total += std::abs(sum);
  }
  const double scale = bandwidth * std::sqrt(2.0 * std::numbers::pi);
  return total / scale / kPoints / static_cast<double>(rows.confidence.size());
}

TEST(SmoothEce, IsTheBandwidthThatEqualsTheErrorItGives) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    const Problem data = problem(seed, 150, 3, 3);
    const Evaluation scored = data.evaluate({.draws = 0, .keep_rows = true});
    const double value = *scored["smooth_ece"];
    // The grid widens the kernel by two parts in ten thousand at most.
    EXPECT_NEAR(smoothed_error(scored, value), value, 3e-4 * value);
  }
}

TEST(SmoothEce, OfAConstantGapIsThatGapWhateverTheBandwidth) {
  // One confidence for all: smoothing spreads the gap but cannot cancel any of it.
  Problem data{Matrix<double>(10, 2), Matrix<double>(10, 2)};
  for (std::size_t i = 0; i < 10; ++i) {
    data.p(i, 0) = 0.8, data.p(i, 1) = 0.2;
    data.counts(i, 0) = data.counts(i, 1) = 1.0;
  }
  EXPECT_NEAR(*data.evaluate()["smooth_ece"], 0.3, 1e-10);  // the search stops at 1e-11
}

TEST(SmoothEce, OfAPerfectModelIsZero) {
  Problem data{Matrix<double>(4, 2), Matrix<double>(4, 2)};
  for (std::size_t i = 0; i < 4; ++i) {
    data.p(i, 0) = 0.75, data.p(i, 1) = 0.25;
    data.counts(i, 0) = 3.0, data.counts(i, 1) = 1.0;
  }
  EXPECT_NEAR(*data.evaluate()["smooth_ece"], 0.0, 1e-15);
}

TEST(SmoothEce, NeverExceedsThePointwiseError) {
  for (const std::uint64_t seed : {4U, 5U}) {
    const Evaluation scored = problem(seed, 500, 4, 6).evaluate();
    EXPECT_LE(*scored["smooth_ece"], *scored["pointwise"]);
    EXPECT_GT(*scored["smooth_ece"], 0.0);
  }
}

TEST(Fourier, TransformIsTheSumItStandsFor) {
  constexpr std::size_t kSize = 16;
  std::vector<double> real(kSize), imaginary(kSize);
  std::vector<std::complex<double>> y(kSize);
  for (std::size_t j = 0; j < kSize; ++j) {
    real[j] = core::uniform(1, j, 0);
    imaginary[j] = core::uniform(1, j, 1);
  }
  for (std::size_t k = 0; k < kSize; ++k) {
    for (std::size_t j = 0; j < kSize; ++j) {
      y[k] += std::complex(real[j], imaginary[j]) *
              std::polar(1.0, -2.0 * std::numbers::pi * static_cast<double>(j * k) / kSize);
    }
  }
  const metrics::Fourier fourier(kSize);
  fourier.transform(real.data(), imaginary.data());
  for (std::size_t k = 0; k < kSize; ++k) {
    const std::complex x(real[fourier.place(k)], imaginary[fourier.place(k)]);
    EXPECT_LT(std::abs(x - y[k]), 1e-13);
  }
}

}  // namespace
}  // namespace credence
