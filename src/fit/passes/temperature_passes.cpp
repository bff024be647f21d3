#include "fit/passes/temperature_passes.hpp"

#include "core/kernels.hpp"
#include "core/sparse_sum.hpp"

namespace credence::fit_detail {
namespace {

/// The part of the uniform mass in the sum of q.d.
double block_uniform(Scores scores, const Targets& targets, std::size_t first, std::size_t rows,
                     const float* row_max) {
  double sum = 0.0;
  for (std::size_t r = 0; r < rows; ++r) {
    double all = 0.0;
    for (const float z : scores.row(first + r)) {
      all += static_cast<double>(z) - static_cast<double>(row_max[r]);
    }
    sum += targets.uniform(first + r) / static_cast<double>(scores.cols()) * all;
  }
  return sum;
}

/// Sum of q.d over the rows of a block, d = z - max z of its row.
double block_linear(Scores scores, const Targets& targets, std::size_t first, std::size_t rows,
                    const float* row_max) {
  double sum = 0.0;
  const std::size_t classes = scores.cols();
  const float* z = scores.data() + first * classes;
  // Rows that start before this one have four entries to read, their own or the next rows'.
  const std::uint32_t* const roomy =
      targets.row(0).classes.data() + (targets.entries() < 4 ? 0 : targets.entries() - 3);
  for (std::size_t r = 0; r < rows; ++r, z += classes) {
    const double top = row_max[r];
    const TargetRow row = targets.row(first + r);
    const double weighed = core::sparse_sum(
        row.classes.size(), row.classes.data() < roomy, [&](std::size_t j, double counts) {
          const double from_top = static_cast<double>(z[row.classes.data()[j]]) - top;
          return row.weights.data()[j] * counts * from_top;
        });
    sum += weighed / row.total;
  }
  return targets.has_uniform() ? sum + block_uniform(scores, targets, first, rows, row_max) : sum;
}

}  // namespace

BlockSums temperature_sums(Scores scores, const Targets& targets, double b, Arithmetic arithmetic,
                           bool with_linear, const Spread& spread, std::size_t first_block) {
  const auto& kernels = core::kernels();
  const auto pass =
      arithmetic == Arithmetic::f32 ? kernels.temperature_f32 : kernels.temperature_f64;
  return sum_blocks(scores.rows(), first_block, kTemperatureSums, spread.over(scores.size()),
                    [&](std::size_t first, std::size_t rows, double* sums) {
                      core::TemperatureSums of_block;
                      float row_max[kBlockRows];
                      pass(scores.row(first).data(), rows, scores.cols(), b, &of_block,
                           with_linear ? row_max : nullptr);
                      sums[0] = of_block.log_sum;
                      sums[1] = of_block.mean;
                      sums[2] = of_block.variance;
                      sums[3] = of_block.skew;
                      if (with_linear) {
                        sums[kLinearSum] = block_linear(scores, targets, first, rows, row_max);
                      }
                    });
}

}  // namespace credence::fit_detail
