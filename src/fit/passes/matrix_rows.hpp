// The matrix map on row-major float32 rows, for work whose result only steers.
#pragma once

#include <cstddef>
#include <vector>

#include "credence/matrix.hpp"
#include "map/pipeline.hpp"

namespace credence::fit_detail {

/// Rows worked on at a time: a sum of this many in float32 loses nothing that matters.
inline constexpr std::size_t kChunk = 256;

/// Rows of (u,1) and of outputs are padded with zeros to `width()`, a whole number of registers.
class MatrixRows {
 public:
  explicit MatrixRows(const map::StageInput& input);

  std::size_t width() const { return width_; }
  /// Rows (u,1) of the input.
  void load(std::size_t first, std::size_t rows, float* u) const;
  /// Parameters centred over classes, as a (K+1) x width matrix with the biases last. Adding one
  /// number to all logits of a row changes no prediction.
  std::vector<float> transposed(Params theta) const;
  /// v = (u,1) times a transposed matrix.
  void forward(const std::vector<float>& matrix, std::size_t rows, const float* u, float* v) const;
  /// p = softmax(v); v is used up.
  void softmax(std::size_t rows, float* v, float* p) const;

 private:
  const map::StageInput* input_;
  std::size_t classes_, width_;
};

}  // namespace credence::fit_detail
