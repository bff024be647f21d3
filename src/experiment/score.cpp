#include <algorithm>
#include <utility>
#include <vector>

#include "core/parallel.hpp"
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
  const int threads = core::resolve_threads(options.threads);
  // Several parts for each thread, of whole blocks: one that is held up then holds up no other.
  const std::size_t blocks = (data.rows() + kBlockRows - 1) / kBlockRows;
  const std::size_t most = threads == 1 ? 1 : 4 * static_cast<std::size_t>(threads);
  const std::size_t share = std::max<std::size_t>(1, (blocks + most - 1) / most) * kBlockRows;
  const std::size_t parts = std::max<std::size_t>(1, (data.rows() + share - 1) / share);
  MetricOptions alone = options;
  if (parts > 1) alone.threads = 1;
  std::vector<Evaluator> evaluators;
  for (std::size_t p = 0; p < parts; ++p) {
    const std::size_t first = p * share;
    evaluators.emplace_back(data.votes, alone, first, std::min(share, data.rows() - first));
  }
  core::parallel_for(threads, parts, [&](std::size_t p) {
    const std::size_t first = p * share;
    const Scores scores = data.scores.block(first, std::min(share, data.rows() - first));
    for_each_block(apply, scores, kFewBytes, [&](Rows probabilities) {
      evaluators[p].add(probabilities, certainties_of(second_order, probabilities).view());
    });
    evaluators[p].close();
  });
  for (std::size_t p = 1; p < parts; ++p) evaluators[0].append(std::move(evaluators[p]));
  Evaluation result = evaluators[0].finish();
  result.protocol.threads = options.threads;
  return result;
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

Evaluation score(const Calibrator& calibrator, const Dataset& data, const MetricOptions& options) {
  return score([&](Scores scores, MutRows out) { calibrator.apply(scores, out, 1); }, data, options,
               second_order_of(calibrator));
}

}  // namespace credence
