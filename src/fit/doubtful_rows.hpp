// A preconditioner for the matrix map with so many classes that a block per class would not fit in
// memory: the curvature of a class is that of the few rows in which the class is in doubt, plus a
// multiple of the mean curvature for all others.
//
// With hundreds of classes nearly every prediction of a class is close to 0 and moves nothing by
// itself. What the many small ones add up to is nearly the same for every class up to a factor, the
// mean of (u,1)(u,1)^T. In the eigenvectors of that mean it is diagonal, and the doubtful rows are
// a correction of low rank to it (Woodbury), which is inverted in the space of those rows.
#pragma once

#include <cstddef>
#include <vector>

#include "fit/objective.hpp"
#include "map/pipeline.hpp"
#include "map/smooth.hpp"

namespace credence::fit_detail {

/// Rows of the sample: 4 K bytes of memory each.
inline constexpr std::size_t kDoubtfulSampleRows = 65536;

class DoubtfulRows {
 public:
  /// `input` is a sample of the rows; it and `penalty` must outlive this object.
  DoubtfulRows(const map::StageInput& input, const map::Quadratic& penalty, int threads);
  /// The preconditioner at theta; it must not outlive this object.
  Preconditioner at(Params theta) const;

 private:
  struct Doubt;
  struct Block;
  struct Blocks;
  void load(std::size_t first, std::size_t rows, float* u) const;
  std::vector<Block> choose_rows(Params theta) const;
  void factorise(Block& block) const;
  void solve(const Block& block, float* row) const;

  const map::StageInput* input_;
  int threads_;
  std::size_t classes_, side_, width_, rows_;
  std::vector<double> common_;   ///< what holds a column moved alike in all classes
  double held_;                  ///< the penalty on a single weight
  std::vector<double> mean_;     ///< eigenvalues of the mean of (u,1)(u,1)^T
  std::vector<float> rotation_;  ///< its eigenvectors in columns, side x width
  std::vector<float> rotated_;   ///< the rows in those coordinates, rows x width
};

}  // namespace credence::fit_detail
