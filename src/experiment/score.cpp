#include <algorithm>

#include "credence/compare.hpp"

namespace credence {
namespace {

template <class Evaluator>
auto score_blocks(const ApplyBlock& apply, const Dataset& data, Evaluator evaluator) {
  constexpr std::size_t kBlockBytes = std::size_t{4} << 20;
  const std::size_t columns = data.classes_count();
  const std::size_t block = std::clamp<std::size_t>(kBlockBytes / (sizeof(double) * columns), 1,
                                                    std::max<std::size_t>(data.rows(), 1));
  Matrix<double> probabilities(block, columns);
  for (std::size_t first = 0; first < data.rows(); first += block) {
    const std::size_t rows = std::min(block, data.rows() - first);
    const MutRows out(probabilities.data(), rows, columns);
    apply(data.scores.block(first, rows), out);
    evaluator.add(out);
  }
  return evaluator.finish();
}

}  // namespace

Evaluation score(const ApplyBlock& apply, const Dataset& data, const MetricOptions& options) {
  return score_blocks(apply, data, Evaluator(data.votes, options));
}

TopErrors score_top(const ApplyBlock& apply, const Dataset& data, const MetricOptions& options) {
  return score_blocks(apply, data, TopEvaluator(data.votes, options));
}

Evaluation score(const Calibrator& calibrator, const Dataset& data, const MetricOptions& options,
                 int threads) {
  return score([&](Scores scores, MutRows out) { calibrator.apply(scores, out, threads); }, data,
               options);
}

}  // namespace credence
