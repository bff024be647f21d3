#include "fit/subsample.hpp"

#include <algorithm>

namespace credence::fit_detail {

Subsample strided_subsample(Scores scores, const Targets& targets, std::size_t rows) {
  Subsample out;
  out.scores = Matrix<float>(rows, scores.cols());
  std::vector<double> uniform;
  const std::size_t stride = scores.rows() / rows;
  for (std::size_t i = 0; i < rows; ++i) {
    const auto row = scores.row(i * stride);
    std::copy(row.begin(), row.end(), out.scores.row(i).begin());
    out.targets.push(targets.row(i * stride));
    if (targets.has_uniform()) uniform.push_back(targets.uniform(i * stride));
  }
  out.targets.set_uniform(std::move(uniform));
  return out;
}

}  // namespace credence::fit_detail
