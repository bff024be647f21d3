#include "fit/doubtful_rows.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "core/kernels.hpp"
#include "core/parallel.hpp"
#include "fit/passes/common_part.hpp"
#include "fit/passes/matrix_rows.hpp"
#include "fit/search/dense.hpp"

namespace credence::fit_detail {
namespace {

/// Doubtful rows per class: their Gram matrices take 2 K times the square of it in bytes.
constexpr std::size_t kMostDoubtful = 384;
/// A prediction p is in doubt by p (1 - p); below this it counts with the many small ones.
constexpr float kDoubt = 1e-3f;
/// The doubtful rows count with the many small ones too, by this share: where those curve nothing,
/// float32 could not tell the correction from what it corrects.
constexpr double kShare = 1e-3;

/// Added up in sixteen lanes, so that the order is the same on every processor.
template <class T>
T lane_dot(const T* a, const T* b, std::size_t count) {
  constexpr std::size_t kLanes = 16;
  T lanes[kLanes] = {};
  std::size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    for (std::size_t l = 0; l < kLanes; ++l) lanes[l] += a[i + l] * b[i + l];
  }
  for (; i < count; ++i) lanes[i % kLanes] += a[i] * b[i];
  T sum = 0;
  for (const T lane : lanes) sum += lane;
  return sum;
}

/// c (m x width) = a (m x n, rows `width` apart) times b (n x width), over chunks of rows.
void multiply(int threads, const float* a, std::size_t m, std::size_t n, const float* b,
              std::size_t width, float* c) {
  core::parallel_for(threads, (m + kChunk - 1) / kChunk, [&](std::size_t chunk) {
    const std::size_t first = chunk * kChunk, rows = std::min(kChunk, m - first);
    std::fill_n(c + first * width, rows * width, 0.0f);
    core::kernels().multiply_add_f32(a + first * width, width, 1, rows, n, b, width, width,
                                     c + first * width, width);
  });
}

std::vector<float> transposed(const std::vector<float>& a, std::size_t side, std::size_t width) {
  std::vector<float> out(side * width, 0.0f);
  for (std::size_t i = 0; i < side; ++i) {
    for (std::size_t j = 0; j < side; ++j) out[j * width + i] = a[i * width + j];
  }
  return out;
}

/// Lower triangle of the Cholesky factor of a positive definite matrix, packed by rows; the
/// diagonal holds its reciprocal.
std::vector<float> packed_cholesky(std::vector<double> lower, std::size_t size) {
  const auto at = [&](std::size_t i, std::size_t j) -> double& { return lower[i * size + j]; };
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      const double left = at(i, j) - lane_dot(&at(i, 0), &at(j, 0), j);
      at(i, j) = i == j ? std::sqrt(left) : left / at(j, j);
    }
  }
  std::vector<float> packed;
  packed.reserve(size * (size + 1) / 2);
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j < i; ++j) packed.push_back(static_cast<float>(at(i, j)));
    packed.push_back(static_cast<float>(1.0 / at(i, i)));
  }
  return packed;
}

void solve_packed(const std::vector<float>& factor, float* x, std::size_t size) {
  const float* row = factor.data();
  for (std::size_t i = 0; i < size; row += ++i) x[i] = (x[i] - lane_dot(row, x, i)) * row[i];
  for (std::size_t i = size; i-- > 0;) {
    row -= i + 1;
    x[i] *= row[i];
    for (std::size_t j = 0; j < i; ++j) x[j] -= row[j] * x[i];
  }
}

}  // namespace

struct DoubtfulRows::Doubt {
  std::size_t row;
  float amount;
};

/// The curvature of one class: B + sum over doubtful rows of weight^2 x x^T, with diagonal B.
struct DoubtfulRows::Block {
  double rest = 0.0;  ///< mean doubt of all other rows
  std::vector<Doubt> doubts;
  std::vector<float> weight;  ///< root of each row's share
  std::vector<float> base;    ///< 1 / sqrt(B)
  std::vector<float> factor;  ///< packed Cholesky factor of 1 + X B^-1 X^T
};

struct DoubtfulRows::Blocks {
  std::vector<Block> of_class;
  std::vector<float> back;  ///< the rotation, transposed
};

void DoubtfulRows::load(std::size_t first, std::size_t rows, float* u) const {
  MatrixRows(*input_).load(first, rows, u);
}

DoubtfulRows::DoubtfulRows(const map::StageInput& input, const map::Quadratic& penalty, int threads)
    : input_(&input),
      threads_(threads),
      classes_(input.classes()),
      side_(classes_ + 1),
      width_(MatrixRows(input).width()),
      rows_(input.rows()),
      common_(held_in_common(penalty, classes_)),
      held_(penalty.diagonal[classes_ > 1 ? 1 : 0]) {
  rotated_.resize(rows_ * width_);
  std::vector<double> moments(side_ * side_, 0.0);
  for (std::size_t first = 0; first < rows_; first += kChunk) {
    const std::size_t rows = std::min(kChunk, rows_ - first);
    float* const u = &rotated_[first * width_];
    load(first, rows, u);
    constexpr std::size_t kStripe = 64;
    core::parallel_for(threads_, (side_ + kStripe - 1) / kStripe, [&](std::size_t stripe) {
      const std::size_t from = stripe * kStripe, count = std::min(kStripe, side_ - from);
      core::kernels().multiply_add_f64(u + from, 1, width_, count, rows, u, width_, from + count,
                                       &moments[from * side_], side_);
    });
  }
  for (double& m : moments) m /= static_cast<double>(rows_);
  Eigensystem system = eigensystem(moments, side_);
  mean_ = std::move(system.values);
  for (double& value : mean_) value = std::max(value, 0.0);
  // Without a penalty nothing holds what the rows leave free, and nothing pulls at it either.
  held_ = std::max(held_, 1e-14 * mean_.back() + 1e-300);
  for (double& held : common_) held = std::max(held, held_);
  rotation_.assign(side_ * width_, 0.0f);
  for (std::size_t i = 0; i < side_; ++i) {
    for (std::size_t j = 0; j < side_; ++j) {
      rotation_[i * width_ + j] = static_cast<float>(system.vectors[i * side_ + j]);
    }
  }
  core::parallel_for(threads_, (rows_ + kChunk - 1) / kChunk, [&](std::size_t chunk) {
    const std::size_t first = chunk * kChunk, rows = std::min(kChunk, rows_ - first);
    const std::vector<float> u(&rotated_[first * width_],
                               &rotated_[first * width_] + rows * width_);
    multiply(1, u.data(), rows, side_, rotation_.data(), width_, &rotated_[first * width_]);
  });
}

std::vector<DoubtfulRows::Block> DoubtfulRows::choose_rows(Params theta) const {
  const MatrixRows map(*input_);
  const std::vector<float> matrix = map.transposed(theta);
  std::vector<Block> blocks(classes_);
  // A few chunks at a time in parallel, then collected in order.
  const std::size_t together = 8 * kChunk;
  std::vector<float> p(together * width_);
  for (std::size_t first = 0; first < rows_; first += together) {
    const std::size_t here = std::min(together, rows_ - first);
    core::parallel_for(threads_, (here + kChunk - 1) / kChunk, [&](std::size_t chunk) {
      const std::size_t from = chunk * kChunk, rows = std::min(kChunk, here - from);
      std::vector<float> u(rows * width_), v(rows * width_);
      load(first + from, rows, u.data());
      map.forward(matrix, rows, u.data(), v.data());
      map.softmax(rows, v.data(), &p[from * width_]);
    });
    for (std::size_t r = 0; r < here; ++r) {
      for (std::size_t k = 0; k < classes_; ++k) {
        const float amount = p[r * width_ + k] * (1.0f - p[r * width_ + k]);
        if (amount > kDoubt) {
          blocks[k].doubts.push_back({first + r, amount});
        } else {
          blocks[k].rest += static_cast<double>(amount);
        }
      }
    }
  }
  return blocks;
}

void DoubtfulRows::factorise(Block& block) const {
  if (block.doubts.size() > kMostDoubtful) {
    const auto more = [](const Doubt& a, const Doubt& b) {
      return a.amount > b.amount || (a.amount == b.amount && a.row < b.row);
    };
    std::nth_element(block.doubts.begin(), block.doubts.begin() + kMostDoubtful, block.doubts.end(),
                     more);
    std::sort(block.doubts.begin() + kMostDoubtful, block.doubts.end(), more);
    for (std::size_t i = kMostDoubtful; i < block.doubts.size(); ++i) {
      block.rest += static_cast<double>(block.doubts[i].amount);
    }
    block.doubts.resize(kMostDoubtful);
    block.doubts.shrink_to_fit();
  }
  std::sort(block.doubts.begin(), block.doubts.end(),
            [](const Doubt& a, const Doubt& b) { return a.row < b.row; });
  const auto count = static_cast<double>(rows_);
  for (const Doubt& doubt : block.doubts) {
    block.rest += kShare * static_cast<double>(doubt.amount);
  }
  block.rest /= count;
  block.base.assign(width_, 0.0f);
  for (std::size_t j = 0; j < side_; ++j) {
    block.base[j] = static_cast<float>(1.0 / std::sqrt(block.rest * mean_[j] + held_));
  }
  const std::size_t size = block.doubts.size();
  block.weight.resize(size);
  std::vector<float> x(size * width_), x_t(width_ * size);
  for (std::size_t i = 0; i < size; ++i) {
    block.weight[i] = static_cast<float>(std::sqrt(block.doubts[i].amount / count));
    const float* row = &rotated_[block.doubts[i].row * width_];
    for (std::size_t j = 0; j < width_; ++j) {
      x[i * width_ + j] = x_t[j * size + i] = block.weight[i] * row[j] * block.base[j];
    }
  }
  std::vector<double> gram(size * size, 0.0);
  for (std::size_t from = 0; from < side_; from += kChunk) {
    core::kernels().multiply_add_f64(&x[from], width_, 1, size, std::min(kChunk, side_ - from),
                                     &x_t[from * size], size, size, gram.data(), size);
  }
  for (std::size_t i = 0; i < size; ++i) gram[i * size + i] += 1.0;
  block.factor = packed_cholesky(std::move(gram), size);
}

/// row becomes B^-1/2 (1 - X^T (1 + X X^T)^-1 X) B^-1/2 row, with X scaled by B^-1/2.
void DoubtfulRows::solve(const Block& block, float* row) const {
  const std::size_t size = block.doubts.size();
  std::vector<float> scaled(width_), along(size), correction(width_, 0.0f);
  for (std::size_t j = 0; j < width_; ++j) scaled[j] = block.base[j] * block.base[j] * row[j];
  for (std::size_t i = 0; i < size; ++i) {
    along[i] =
        block.weight[i] * lane_dot(&rotated_[block.doubts[i].row * width_], scaled.data(), width_);
  }
  solve_packed(block.factor, along.data(), size);
  for (std::size_t i = 0; i < size; ++i) {
    const float amount = block.weight[i] * along[i];
    const float* x = &rotated_[block.doubts[i].row * width_];
    for (std::size_t j = 0; j < width_; ++j) correction[j] += amount * x[j];
  }
  for (std::size_t j = 0; j < width_; ++j) {
    row[j] = scaled[j] - block.base[j] * block.base[j] * correction[j];
  }
}

Preconditioner DoubtfulRows::at(Params theta) const {
  auto blocks = std::make_shared<Blocks>();
  blocks->of_class = choose_rows(theta);
  blocks->back = transposed(rotation_, side_, width_);
  core::parallel_for(threads_, classes_, [&](std::size_t k) { factorise(blocks->of_class[k]); });
  return [this, blocks](const double* in, double* out) {
    solve_apart_from_common(common_, classes_, in, out, [&](double* rest) {
      std::vector<float> rows(classes_ * width_, 0.0f), turned(classes_ * width_);
      for (std::size_t k = 0; k < classes_; ++k) {
        for (std::size_t a = 0; a < side_; ++a) {
          rows[k * width_ + a] = static_cast<float>(rest[k * side_ + a]);
        }
      }
      multiply(threads_, rows.data(), classes_, side_, rotation_.data(), width_, turned.data());
      core::parallel_for(threads_, classes_,
                         [&](std::size_t k) { solve(blocks->of_class[k], &turned[k * width_]); });
      multiply(threads_, turned.data(), classes_, side_, blocks->back.data(), width_, rows.data());
      for (std::size_t k = 0; k < classes_; ++k) {
        for (std::size_t a = 0; a < side_; ++a) {
          rest[k * side_ + a] = static_cast<double>(rows[k * width_ + a]);
        }
      }
    });
  };
}

}  // namespace credence::fit_detail
