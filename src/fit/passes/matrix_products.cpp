#include "fit/passes/matrix_products.hpp"

#include <algorithm>

#include "core/kernels.hpp"
#include "credence/fit.hpp"

namespace credence::fit_detail {
namespace {

/// Predictions beyond this many bytes are computed anew for every product.
constexpr std::size_t kKeptBytes = std::size_t{256} << 20;

}  // namespace

MatrixProducts::MatrixProducts(const map::StageInput& input, Params theta,
                               const core::Execution& execution, std::size_t first_block)
    : input_(&input),
      execution_(execution),
      map_(input),
      first_block_(first_block),
      classes_(input.classes()),
      width_(map_.width()),
      theta_(map_.transposed(theta)) {
  const std::size_t blocks = (input.rows() + kBlockRows - 1) / kBlockRows;
  const std::size_t kept_blocks =
      std::min(blocks, kKeptBytes / (kBlockRows * width_ * sizeof(float)));
  kept_rows_ = std::min(input.rows(), kept_blocks * kBlockRows);
  kept_.resize(kept_rows_ * width_);
  core::parallel_for(execution_.threads, kept_blocks, [&](std::size_t block) {
    for_each_chunk(block, [&](std::size_t first, std::size_t rows, Space& space) {
      map_.forward(theta_, rows, space.u.data(), space.v.data());
      map_.softmax(rows, space.v.data(), &kept_[first * width_]);
    });
  });
}

template <class Body>
void MatrixProducts::for_each_chunk(std::size_t block, const Body& body) {
  const auto make = [&] {
    const std::vector<float> zeros(kChunk * width_, 0.0f);
    return Space{zeros, zeros, kept_rows_ < input_->rows() ? zeros : std::vector<float>{}};
  };
  spaces_.borrow(make, [&](Space& space) {
    const std::size_t end = std::min(input_->rows(), (block + 1) * kBlockRows);
    for (std::size_t first = block * kBlockRows; first < end; first += kChunk) {
      const std::size_t rows = std::min(kChunk, end - first);
      map_.load(first, rows, space.u.data());
      body(first, rows, space);
    }
  });
}

BlockSums MatrixProducts::multiply(Params direction) {
  const std::vector<float> matrix = map_.transposed(direction);
  const std::size_t side = classes_ + 1;
  const auto add_chunk = [&](std::size_t first, std::size_t rows, Space& space, double* sums) {
    const float* p = space.p.data();
    if (first < kept_rows_) {
      p = &kept_[first * width_];
    } else {
      map_.forward(theta_, rows, space.u.data(), space.v.data());
      map_.softmax(rows, space.v.data(), space.p.data());
    }
    map_.forward(matrix, rows, space.u.data(), space.v.data());
    core::kernels().centre_rows(p, rows, width_, space.v.data());
    core::kernels().multiply_add_f64(space.v.data(), 1, width_, classes_, rows, space.u.data(),
                                     width_, side, sums, side);
  };
  return sum_blocks(input_->rows(), first_block_, classes_ * side, execution_,
                    [&](std::size_t from, std::size_t, double* sums) {
                      for_each_chunk(from / kBlockRows,
                                     [&](std::size_t first, std::size_t rows, Space& space) {
                                       add_chunk(first, rows, space, sums);
                                     });
                    });
}

std::vector<double> mean_product(const std::vector<double>& sums, std::size_t classes,
                                 std::size_t rows) {
  std::vector<double> out(classes * classes + classes);
  const std::size_t side = classes + 1;
  const double scale = 1.0 / static_cast<double>(rows);
  for (std::size_t a = 0; a <= classes; ++a) {
    const std::size_t first = a < classes ? a : classes * classes;
    const std::size_t step = a < classes ? classes : 1;
    double mean = 0.0;
    for (std::size_t k = 0; k < classes; ++k) mean += sums[k * side + a];
    mean /= static_cast<double>(classes);
    for (std::size_t k = 0; k < classes; ++k) {
      out[first + k * step] = scale * (sums[k * side + a] - mean);
    }
  }
  return out;
}

}  // namespace credence::fit_detail
