#include "fit/search/class_blocks.hpp"

#include <algorithm>
#include <memory>

#include "core/kernels.hpp"
#include "core/parallel.hpp"
#include "fit/passes/common_part.hpp"
#include "fit/passes/matrix_rows.hpp"
#include "fit/search/dense.hpp"

namespace credence::fit_detail {
namespace {

struct Sample {
  std::size_t rows, width;
  std::vector<float> u, doubt;  ///< (u,1) and p (1 - p), row-major
};

Sample weigh(const map::StageInput& input, Params theta, int threads) {
  const std::size_t rows = input.rows();
  const MatrixRows map(input);
  const std::size_t width = map.width();
  Sample out{rows, width, std::vector<float>(rows * width), std::vector<float>(rows * width)};
  const std::vector<float> matrix = map.transposed(theta);
  core::parallel_for(threads, (rows + kChunk - 1) / kChunk, [&](std::size_t chunk) {
    const std::size_t first = chunk * kChunk, here = std::min(kChunk, rows - first);
    std::vector<float> v(here * width);
    float* const p = &out.doubt[first * width];
    map.load(first, here, &out.u[first * width]);
    map.forward(matrix, here, &out.u[first * width], v.data());
    map.softmax(here, v.data(), p);
    for (std::size_t i = 0; i < here * width; ++i) p[i] *= 1.0f - p[i];
  });
  return out;
}

/// Mean of p_k (1 - p_k) u_a u_b for every k (rows) and every pair b <= a (columns).
std::vector<double> mean_curvatures(const Sample& sample, std::size_t classes, int threads) {
  const std::size_t side = classes + 1, pairs = side * (side + 1) / 2;
  std::vector<double> sums(classes * pairs, 0.0);
  core::parallel_for(threads, side, [&](std::size_t a) {
    std::vector<float> products(kChunk * sample.width);
    for (std::size_t first = 0; first < sample.rows; first += kChunk) {
      const std::size_t rows = std::min(kChunk, sample.rows - first);
      for (std::size_t r = 0; r < rows; ++r) {
        const float* u = &sample.u[(first + r) * sample.width];
        float* const out = &products[r * sample.width];
        for (std::size_t b = 0; b <= a; ++b) out[b] = u[a] * u[b];
      }
      core::kernels().multiply_add_f64(&sample.doubt[first * sample.width], 1, sample.width,
                                       classes, rows, products.data(), sample.width, a + 1,
                                       &sums[a * (a + 1) / 2], pairs);
    }
  });
  for (double& sum : sums) sum /= static_cast<double>(sample.rows);
  return sums;
}

struct Blocks {
  std::size_t classes;
  std::vector<Cholesky> factors;  ///< one per class, over its weights and its bias
  std::vector<double> common;     ///< what holds a column moved alike in all classes
};

void solve(const Blocks& blocks, const double* in, double* out) {
  const std::size_t classes = blocks.classes, side = classes + 1;
  solve_apart_from_common(blocks.common, classes, in, out, [&](double* rest) {
    for (std::size_t k = 0; k < classes; ++k) {
      double* const row = rest + k * side;
      std::ranges::copy(blocks.factors[k].solve(std::vector<double>(row, row + side)), row);
    }
  });
}

}  // namespace

Preconditioner class_block_preconditioner(const map::StageInput& sample, Params theta,
                                          const map::Quadratic& penalty, int threads) {
  const std::size_t classes = sample.classes(), side = classes + 1, pairs = side * (side + 1) / 2;
  const std::vector<double> sums = mean_curvatures(weigh(sample, theta, threads), classes, threads);
  auto blocks = std::make_shared<Blocks>();
  blocks->classes = classes;
  blocks->common = held_in_common(penalty, classes);
  double largest = 0.0;
  for (std::size_t k = 0; k < classes; ++k) {
    const double* curvature = &sums[k * pairs];
    std::vector<double> block(side * side, 0.0);
    for (std::size_t a = 0; a < side; ++a) {
      for (std::size_t b = 0; b <= a; ++b) block[a * side + b] = *curvature++;
      largest = std::max(largest, block[a * side + a]);
      block[a * side + a] +=
          penalty.diagonal[a < classes ? k * classes + a : classes * classes + k];
    }
    blocks->factors.emplace_back(std::move(block), side);
  }
  // Without a penalty nothing holds the common part, and nothing pulls at it either.
  for (double& held : blocks->common) held = std::max(held, 1e-14 * largest + 1e-300);
  return [blocks](const double* in, double* out) { solve(*blocks, in, out); };
}

}  // namespace credence::fit_detail
