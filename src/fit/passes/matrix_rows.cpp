#include "fit/passes/matrix_rows.hpp"

#include <algorithm>

#include "core/kernels.hpp"

namespace credence::fit_detail {

MatrixRows::MatrixRows(const map::StageInput& input)
    : input_(&input), classes_(input.classes()), width_((classes_ + 8) / 8 * 8) {}

void MatrixRows::load(std::size_t first, std::size_t rows, float* u) const {
  input_->load_rows(first, rows, u, width_);
  for (std::size_t r = 0; r < rows; ++r) {
    u[r * width_ + classes_] = 1.0f;
    std::fill(u + r * width_ + classes_ + 1, u + (r + 1) * width_, 0.0f);
  }
}

std::vector<float> MatrixRows::transposed(Params theta) const {
  std::vector<float> out((classes_ + 1) * width_, 0.0f);
  for (std::size_t a = 0; a <= classes_; ++a) {
    // Where row k of column a lies in theta.
    const std::size_t first = a < classes_ ? a : classes_ * classes_;
    const std::size_t step = a < classes_ ? classes_ : 1;
    double mean = 0.0;
    for (std::size_t k = 0; k < classes_; ++k) mean += theta[first + k * step];
    mean /= static_cast<double>(classes_);
    for (std::size_t k = 0; k < classes_; ++k) {
      out[a * width_ + k] = static_cast<float>(theta[first + k * step] - mean);
    }
  }
  return out;
}

void MatrixRows::forward(const std::vector<float>& matrix, std::size_t rows, const float* u,
                         float* v) const {
  std::fill_n(v, rows * width_, 0.0f);
  core::kernels().multiply_add_f32(u, width_, 1, rows, classes_ + 1, matrix.data(), width_, width_,
                                   v, width_);
}

void MatrixRows::softmax(std::size_t rows, float* v, float* p) const {
  constexpr float kNothing = -1e30f;  // the padding gets no probability
  for (std::size_t r = 0; r < rows; ++r) {
    std::fill(v + r * width_ + classes_, v + (r + 1) * width_, kNothing);
  }
  core::kernels().softmax_f32(v, rows, width_, 1.0, p);
  for (std::size_t r = 0; r < rows; ++r) {
    std::fill(p + r * width_ + classes_, p + (r + 1) * width_, 0.0f);
  }
}

}  // namespace credence::fit_detail
