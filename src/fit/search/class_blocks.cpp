#include "fit/search/class_blocks.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <span>

#include "core/kernels.hpp"
#include "core/parallel.hpp"
#include "fit/passes/common_part.hpp"
#include "fit/passes/matrix_rows.hpp"
#include "fit/search/dense.hpp"

namespace credence::fit_detail {
namespace {

/// Rows that a block is made of, for each of its parameters.
constexpr std::size_t kRowsPerParameter = 32;
constexpr std::size_t kFewRows = 2;  ///< times as many are all taken

struct Sample {
  std::size_t rows, width;
  std::vector<float> u;      ///< (u,1), row-major
  std::vector<float> doubt;  ///< p (1 - p), class by class
};

Sample weigh(const map::StageInput& input, Params theta, int threads) {
  const std::size_t rows = input.rows(), classes = input.classes();
  const MatrixRows map(input);
  const std::size_t width = map.width();
  Sample out{rows, width, std::vector<float>(rows * width), std::vector<float>(rows * classes)};
  const std::vector<float> matrix = map.transposed(theta);
  core::parallel_for(threads, (rows + kChunk - 1) / kChunk, [&](std::size_t chunk) {
    const std::size_t first = chunk * kChunk, here = std::min(kChunk, rows - first);
    std::vector<float> v(here * width), p(here * width);
    map.load(first, here, &out.u[first * width]);
    map.forward(matrix, here, &out.u[first * width], v.data());
    map.softmax(here, v.data(), p.data());
    for (std::size_t k = 0; k < classes; ++k) {
      for (std::size_t r = 0; r < here; ++r) {
        const float mine = p[r * width + k];
        out.doubt[k * rows + first + r] = mine * (1.0f - mine);
      }
    }
  });
  return out;
}

struct Weighted {
  std::size_t row;
  float weight;
};

/// About `wanted` rows that stand for all of them: those that weigh more than their share as they
/// are, and of the others one whenever together they have filled a share. All where they are few:
/// a fit that can nearly reproduce the votes needs the curvature as it is.
std::vector<Weighted> choose(std::span<const float> weights, std::size_t wanted) {
  double sum = 0.0, filled = 0.0;
  for (const float weight : weights) sum += static_cast<double>(weight);
  const bool all = weights.size() <= kFewRows * wanted;
  const double share = all ? 0.0 : sum / static_cast<double>(wanted);
  std::vector<Weighted> chosen;
  for (std::size_t r = 0; r < weights.size(); ++r) {
    const auto weight = static_cast<double>(weights[r]);
    if (weight >= share) {
      chosen.push_back({r, weights[r]});
      continue;
    }
    filled += weight;
    if (filled < share) continue;
    filled -= share;
    chosen.push_back({r, static_cast<float>(share)});
  }
  return chosen;
}

/// The mean of p (1 - p) (u,1) (u,1)^T for one class: a lower triangle, row-major.
std::vector<double> mean_curvature(const Sample& sample, std::size_t k, std::size_t side) {
  const std::span<const float> doubt(&sample.doubt[k * sample.rows], sample.rows);
  const std::vector<Weighted> chosen = choose(doubt, kRowsPerParameter * side);
  constexpr std::size_t kStripe = 32;
  std::vector<double> out(side * side, 0.0);
  std::vector<float> scaled(kChunk * sample.width);
  for (std::size_t first = 0; first < chosen.size(); first += kChunk) {
    const std::size_t rows = std::min(kChunk, chosen.size() - first);
    for (std::size_t r = 0; r < rows; ++r) {
      const float* const u = &sample.u[chosen[first + r].row * sample.width];
      const float root = std::sqrt(chosen[first + r].weight);
      for (std::size_t a = 0; a < sample.width; ++a) scaled[r * sample.width + a] = root * u[a];
    }
    for (std::size_t from = 0; from < side; from += kStripe) {
      const std::size_t count = std::min(kStripe, side - from);
      core::kernels().multiply_add_f64(&scaled[from], 1, sample.width, count, rows, scaled.data(),
                                       sample.width, from + count, &out[from * side], side);
    }
  }
  for (double& sum : out) sum /= static_cast<double>(sample.rows);
  return out;
}

struct Blocks {
  std::size_t classes;
  std::vector<std::optional<Cholesky>> factors;  ///< one per class, over its weights and its bias
  std::vector<double> common;                    ///< what holds a column moved alike in all classes
};

void solve(const Blocks& blocks, const double* in, double* out) {
  const std::size_t classes = blocks.classes, side = classes + 1;
  solve_apart_from_common(blocks.common, classes, in, out, [&](double* rest) {
    for (std::size_t k = 0; k < classes; ++k) {
      double* const row = rest + k * side;
      std::ranges::copy(blocks.factors[k]->solve(std::vector<double>(row, row + side)), row);
    }
  });
}

}  // namespace

Preconditioner class_block_preconditioner(const map::StageInput& sample, Params theta,
                                          const map::Quadratic& penalty, int threads) {
  const std::size_t classes = sample.classes(), side = classes + 1;
  const Sample weighed = weigh(sample, theta, threads);
  auto blocks = std::make_shared<Blocks>();
  blocks->classes = classes;
  blocks->common = held_in_common(penalty, classes);
  blocks->factors.resize(classes);
  std::vector<double> largest_of(classes, 0.0);
  core::parallel_for(threads, classes, [&](std::size_t k) {
    std::vector<double> block = mean_curvature(weighed, k, side);
    for (std::size_t a = 0; a < side; ++a) {
      largest_of[k] = std::max(largest_of[k], block[a * side + a]);
      block[a * side + a] +=
          penalty.diagonal[a < classes ? k * classes + a : classes * classes + k];
    }
    blocks->factors[k].emplace(std::move(block), side);
  });
  const double largest = *std::ranges::max_element(largest_of);
  // Without a penalty nothing holds the common part, and nothing pulls at it either.
  for (double& held : blocks->common) held = std::max(held, 1e-14 * largest + 1e-300);
  return [blocks](const double* in, double* out) { solve(*blocks, in, out); };
}

}  // namespace credence::fit_detail
