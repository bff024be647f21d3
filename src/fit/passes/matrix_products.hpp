// Products with the Hessian of the matrix map at one point, in float32.
//
// Conjugate gradients ask for many products at the same parameters, and the direction they find is
// judged by the float64 loss and gradient afterwards. So the predictions are kept, in float32, and
// a product is two matrix products over the data.
//
// Adding one number to all logits of a row changes no prediction, so the Hessian has nothing in
// those directions, and only the penalty, often a million times weaker, holds them. There float32
// would drown it: both the direction and the result are therefore centred over classes in float64.
#pragma once

#include <cstddef>
#include <vector>

#include "core/pool.hpp"
#include "fit/passes/matrix_rows.hpp"
#include "fit/passes/spread.hpp"

namespace credence::fit_detail {

class MatrixProducts {
 public:
  /// `input` must outlive this object.
  MatrixProducts(const map::StageInput& input, Params theta, const core::Execution& execution,
                 std::size_t first_block = 0);

  /// Sums over rows of (diag p - p p^T) D (u,1) (u,1)^T for a direction D laid out as theta: a row
  /// of K+1 numbers per class.
  BlockSums multiply(Params direction);

 private:
  struct Space {
    std::vector<float> u, v, p;
  };
  /// Calls body(first row, rows, space) for every chunk of a block.
  template <class Body>
  void for_each_chunk(std::size_t block, const Body& body);

  const map::StageInput* input_;
  core::Execution execution_;
  MatrixRows map_;
  std::size_t first_block_, classes_, width_, kept_rows_;
  std::vector<float> theta_;
  std::vector<float> kept_;  ///< predictions of the first kept_rows_ rows
  core::Pool<Space> spaces_;
};

/// The mean over rows, laid out as theta, from such sums over all of them.
std::vector<double> mean_product(const std::vector<double>& sums, std::size_t classes,
                                 std::size_t rows);

}  // namespace credence::fit_detail
