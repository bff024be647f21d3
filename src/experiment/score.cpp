#include <algorithm>

#include "credence/compare.hpp"

namespace credence {
namespace {

/// Gives the probabilities of all rows to the evaluator, `bytes` of them at a time.
template <class Evaluator>
auto score_blocks(const ApplyBlock& apply, Scores scores, std::size_t bytes,
                  Evaluator&& evaluator) {
  const std::size_t columns = scores.cols();
  const std::size_t block = std::clamp<std::size_t>(bytes / (sizeof(double) * columns), 1,
                                                    std::max<std::size_t>(scores.rows(), 1));
  Matrix<double> probabilities(block, columns);
  for (std::size_t first = 0; first < scores.rows(); first += block) {
    const std::size_t rows = std::min(block, scores.rows() - first);
    const MutRows out(probabilities.data(), rows, columns);
    apply(scores.block(first, rows), out);
    evaluator.add(out);
  }
  return evaluator.finish();
}

/// Enough for several threads to share.
constexpr std::size_t kManyBytes = std::size_t{4} << 20;
/// What stays in the cache of one.
constexpr std::size_t kFewBytes = std::size_t{1} << 17;

}  // namespace

Evaluation score(const ApplyBlock& apply, const Dataset& data, const MetricOptions& options) {
  return score_blocks(apply, data.scores, kManyBytes, Evaluator(data.votes, options));
}

TopErrors score_top(const ApplyBlock& apply, const Dataset& data, const MetricOptions& options) {
  return score_blocks(apply, data.scores, kManyBytes, TopEvaluator(data.votes, options));
}

EvaluationSums score_rows(const ApplyBlock& apply, const MetricOptions& options,
                          std::uint64_t first_row, Scores scores, const Votes& votes,
                          std::size_t votes_from) {
  return score_blocks(apply, scores, kFewBytes,
                      SumsOfRows(options, first_row, votes, votes_from, scores.rows()));
}

Evaluation score(const Calibrator& calibrator, const Dataset& data, const MetricOptions& options,
                 int threads) {
  return score([&](Scores scores, MutRows out) { calibrator.apply(scores, out, threads); }, data,
               options);
}

}  // namespace credence
