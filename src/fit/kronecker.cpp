#include "fit/kronecker.hpp"

#include <algorithm>
#include <memory>

#include "core/kernels.hpp"
#include "fit/dense.hpp"

namespace credence::fit_detail {
namespace {

constexpr std::size_t kPanel = 32;

/// The products work on panels of kPanel columns.
std::size_t padded(std::size_t width) { return (width + kPanel - 1) / kPanel * kPanel; }

/// out (m x width) = a (m x n, row-major) * b (n x width). Panels of b are made contiguous: read in
/// place, every row of a panel would lie in another page.
void multiply(const std::vector<double>& a, std::size_t m, std::size_t n,
              const std::vector<double>& b, std::vector<double>& out, std::size_t width) {
  std::vector<double> panel(n * kPanel), product(m * kPanel);
  for (std::size_t first = 0; first < width; first += kPanel) {
    for (std::size_t i = 0; i < n; ++i) {
      std::copy_n(&b[i * width + first], kPanel, &panel[i * kPanel]);
    }
    core::kernels().f64.multiply(a.data(), n, m, n, nullptr, panel.data(), product.data(), kPanel);
    for (std::size_t i = 0; i < m; ++i) {
      std::copy_n(&product[i * kPanel], kPanel, &out[i * width + first]);
    }
  }
}

std::vector<double> transposed(const std::vector<double>& a, std::size_t rows, std::size_t cols,
                               std::size_t stride, std::size_t out_stride) {
  std::vector<double> out(cols * out_stride, 0.0);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < cols; ++j) out[j * out_stride + i] = a[i * stride + j];
  }
  return out;
}

struct Factors {
  std::size_t classes, side;
  std::vector<double> a, a_t, b, b_t;  ///< eigenvectors of spread and inputs, and transposed
  std::vector<double> scale;           ///< 1 / (eigenvalue products + damping), K x (K+1)
};

}  // namespace

std::function<void(const double*, double*)> make_kronecker_preconditioner(
    const std::vector<double>& spread, std::size_t classes, const std::vector<double>& inputs,
    std::size_t side, double damping) {
  const Eigensystem left = eigensystem(spread, classes), right = eigensystem(inputs, side);
  auto factors = std::make_shared<Factors>();
  factors->classes = classes;
  factors->side = side;
  factors->a = left.vectors;
  factors->a_t = transposed(left.vectors, classes, classes, classes, classes);
  factors->b = right.vectors;
  factors->b_t = transposed(right.vectors, side, side, side, side);
  const double top = std::max(left.values.back() * right.values.back(), 0.0);
  const double least = std::max(damping, 1e-14 * top);
  factors->scale.resize(classes * side);
  for (std::size_t i = 0; i < classes; ++i) {
    for (std::size_t j = 0; j < side; ++j) {
      const double curvature = std::max(left.values[i], 0.0) * std::max(right.values[j], 0.0);
      factors->scale[i * side + j] = 1.0 / (curvature + least);
    }
  }
  return [factors](const double* in, double* out) {
    const std::size_t k = factors->classes, n = factors->side;
    const std::size_t wide = padded(n), tall = padded(k);
    // G is K x (K+1): the weights with the biases as last column.
    std::vector<double> g(k * wide, 0.0), rotated(k * wide);
    for (std::size_t i = 0; i < k; ++i) {
      for (std::size_t j = 0; j < k; ++j) g[i * wide + j] = in[i * k + j];
      g[i * wide + k] = in[k * k + i];
    }
    const auto both_sides = [&](const std::vector<double>& left_factor,
                                const std::vector<double>& right_factor) {
      multiply(left_factor, k, k, g, rotated, wide);
      const std::vector<double> flipped = transposed(rotated, k, n, wide, tall);
      std::vector<double> product(n * tall);
      multiply(right_factor, n, n, flipped, product, tall);
      g = transposed(product, n, k, tall, wide);
    };
    both_sides(factors->a_t, factors->b_t);
    for (std::size_t i = 0; i < k; ++i) {
      for (std::size_t j = 0; j < n; ++j) g[i * wide + j] *= factors->scale[i * n + j];
    }
    both_sides(factors->a, factors->b);
    for (std::size_t i = 0; i < k; ++i) {
      for (std::size_t j = 0; j < k; ++j) out[i * k + j] = g[i * wide + j];
      out[k * k + i] = g[i * wide + k];
    }
  };
}

}  // namespace credence::fit_detail
