#include <algorithm>

#include "credence/compare.hpp"
#include "credence/second_order.hpp"

namespace credence {
namespace {

/// Calls add(probabilities) for the rows, block by block.
template <class Add>
void for_each_block(const ApplyBlock& apply, const Dataset& data, const Add& add) {
  constexpr std::size_t kBlockBytes = std::size_t{4} << 20;
  const std::size_t columns = data.classes_count();
  const std::size_t block = std::clamp<std::size_t>(kBlockBytes / (sizeof(double) * columns), 1,
                                                    std::max<std::size_t>(data.rows(), 1));
  Matrix<double> probabilities(block, columns);
  for (std::size_t first = 0; first < data.rows(); first += block) {
    const std::size_t rows = std::min(block, data.rows() - first);
    const MutRows out(probabilities.data(), rows, columns);
    apply(data.scores.block(first, rows), out);
    add(out);
  }
}

}  // namespace

Evaluation score(const ApplyBlock& apply, const Dataset& data, const MetricOptions& options,
                 const SecondOrder* second_order) {
  Evaluator evaluator(data.votes, options);
  for_each_block(apply, data, [&](Rows probabilities) {
    evaluator.add(probabilities, certainties_of(second_order, probabilities).view());
  });
  return evaluator.finish();
}

TopErrors score_top(const ApplyBlock& apply, const Dataset& data, const MetricOptions& options) {
  TopEvaluator evaluator(data.votes, options);
  for_each_block(apply, data, [&](Rows probabilities) { evaluator.add(probabilities); });
  return evaluator.finish();
}

Evaluation score(const Calibrator& calibrator, const Dataset& data, const MetricOptions& options,
                 int threads) {
  return score([&](Scores scores, MutRows out) { calibrator.apply(scores, out, threads); }, data,
               options, second_order_of(calibrator));
}

}  // namespace credence
