#include <algorithm>

#include "credence/compare.hpp"
#include "credence/second_order.hpp"

namespace credence {
namespace {

/// Calls add(probabilities) for the rows, so many bytes of them at a time.
template <class Add>
void for_each_block(const ApplyBlock& apply, Scores scores, std::size_t bytes, const Add& add) {
  const std::size_t columns = scores.cols();
  const std::size_t block = std::clamp<std::size_t>(bytes / (sizeof(double) * columns), 1,
                                                    std::max<std::size_t>(scores.rows(), 1));
  Matrix<double> probabilities(block, columns);
  for (std::size_t first = 0; first < scores.rows(); first += block) {
    const std::size_t rows = std::min(block, scores.rows() - first);
    const MutRows out(probabilities.data(), rows, columns);
    apply(scores.block(first, rows), out);
    add(out);
  }
}

/// Enough for several threads to share.
constexpr std::size_t kManyBytes = std::size_t{4} << 20;
/// What stays in the cache of one.
constexpr std::size_t kFewBytes = std::size_t{1} << 17;

}  // namespace

Evaluation score(const ApplyBlock& apply, const Dataset& data, const MetricOptions& options,
                 const SecondOrder* second_order) {
  Evaluator evaluator(data.votes, options);
  for_each_block(apply, data.scores, kManyBytes, [&](Rows probabilities) {
    evaluator.add(probabilities, certainties_of(second_order, probabilities).view());
  });
  return evaluator.finish();
}

TopErrors score_top(const ApplyBlock& apply, const Dataset& data, const MetricOptions& options) {
  TopEvaluator evaluator(data.votes, options);
  for_each_block(apply, data.scores, kManyBytes,
                 [&](Rows probabilities) { evaluator.add(probabilities); });
  return evaluator.finish();
}

EvaluationSums score_rows(const ApplyBlock& apply, const MetricOptions& options,
                          std::uint64_t first_row, Scores scores, const Votes& votes,
                          std::size_t votes_from, const SecondOrder* second_order) {
  SumsOfRows sums(options, first_row, votes, votes_from, scores.rows());
  for_each_block(apply, scores, kFewBytes, [&](Rows probabilities) {
    sums.add(probabilities, certainties_of(second_order, probabilities).view());
  });
  return sums.finish();
}

Evaluation score(const Calibrator& calibrator, const Dataset& data, const MetricOptions& options,
                 int threads) {
  return score([&](Scores scores, MutRows out) { calibrator.apply(scores, out, threads); }, data,
               options, second_order_of(calibrator));
}

}  // namespace credence
