// Small dense linear algebra. Eigen is compiled for the baseline instruction set with fixed cache
// sizes, because its order of summation depends on both.
#pragma once

#include <cstddef>
#include <vector>

namespace credence::fit_detail {

/// Cholesky factor of a positive definite matrix given by its lower triangle.
class Cholesky {
 public:
  /// Adds the smallest multiple of the mean diagonal (from a growing list, 0 first) that makes the
  /// matrix positive definite.
  Cholesky(std::vector<double> lower, std::size_t size);
  /// x = A^-1 b.
  std::vector<double> solve(const std::vector<double>& b) const;
  std::size_t size() const { return size_; }
  /// Relative damping that was needed; 0 for a positive definite matrix.
  double damping() const { return damping_; }
  /// Whether the factor means something: nothing was added, and no pivot is what rounding left of
  /// its diagonal entry. Does not depend on the scale of the unknowns.
  bool regular() const { return regular_; }

 private:
  std::vector<double> factor_;
  std::size_t size_;
  double damping_ = 0.0;
  bool regular_ = false;
};

/// Eigenvalues (ascending) and eigenvectors (row-major, vectors in columns) of a symmetric matrix
/// given by its lower triangle.
struct Eigensystem {
  std::vector<double> values, vectors;
};
Eigensystem eigensystem(const std::vector<double>& lower, std::size_t size);

}  // namespace credence::fit_detail
