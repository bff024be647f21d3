// Without vectorisation Eigen's results do not depend on the processor it was compiled for.
#define EIGEN_DONT_VECTORIZE
#define EIGEN_DONT_PARALLELIZE
#define EIGEN_NO_DEBUG
#include "fit/search/dense.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>

namespace credence::fit_detail {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Eigen splits products by the size of this machine's caches unless it is told otherwise.
void fix_block_sizes() {
  static const bool done = [] {
    Eigen::setCpuCacheSizes(32 << 10, 512 << 10, 8 << 20);
    return true;
  }();
  (void)done;
}

/// Sums of a few hundred products are good to about this share of them.
constexpr double kRoundingPivot = 1e-13;

Eigen::Index index(std::size_t i) { return static_cast<Eigen::Index>(i); }

}  // namespace

Cholesky::Cholesky(std::vector<double> lower, std::size_t size) : size_(size) {
  fix_block_sizes();
  double mean = 0.0;
  for (std::size_t j = 0; j < size; ++j) mean += lower[j * size + j] / static_cast<double>(size);
  if (!(mean > 0.0)) mean = 1.0;
  for (const double damping : {0.0, 1e-14, 1e-12, 1e-10, 1e-8, 1e-6, 1e-4, 1e-2, 1.0, 1e2, 1e4}) {
    factor_ = lower;
    for (std::size_t j = 0; j < size; ++j) factor_[j * size + j] += damping * mean;
    damping_ = damping;
    Eigen::Map<RowMajor> matrix(factor_.data(), index(size), index(size));
    Eigen::LLT<Eigen::Ref<RowMajor>, Eigen::Lower> factorise(matrix);
    if (factorise.info() != Eigen::Success) continue;
    regular_ = damping == 0.0;
    for (std::size_t j = 0; j < size && regular_; ++j) {
      const double pivot = factor_[j * size + j];
      regular_ = pivot * pivot > kRoundingPivot * lower[j * size + j];
    }
    return;
  }
}

std::vector<double> Cholesky::solve(const std::vector<double>& b) const {
  std::vector<double> x = b;
  const Eigen::Map<const RowMajor> factor(factor_.data(), index(size_), index(size_));
  Eigen::Map<Eigen::VectorXd> solution(x.data(), index(size_));
  factor.triangularView<Eigen::Lower>().solveInPlace(solution);
  factor.transpose().triangularView<Eigen::Upper>().solveInPlace(solution);
  return x;
}

Eigensystem eigensystem(const std::vector<double>& lower, std::size_t size) {
  fix_block_sizes();
  const Eigen::Map<const RowMajor> matrix(lower.data(), index(size), index(size));
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver{Eigen::MatrixXd(matrix)};
  Eigensystem out{std::vector<double>(size), std::vector<double>(size * size)};
  for (std::size_t j = 0; j < size; ++j) {
    out.values[j] = solver.eigenvalues()[index(j)];
    for (std::size_t i = 0; i < size; ++i) {
      out.vectors[i * size + j] = solver.eigenvectors()(index(i), index(j));
    }
  }
  return out;
}

}  // namespace credence::fit_detail
