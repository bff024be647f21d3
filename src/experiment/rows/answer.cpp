// Tasks about rows, answered from whole blocks of them.
#include <algorithm>
#include <cmath>
#include <utility>

#include "core/overloaded.hpp"
#include "core/parallel.hpp"
#include "credence/compare.hpp"
#include "credence/error.hpp"
#include "credence/row_work.hpp"
#include "experiment/rows/loss_sums.hpp"

namespace credence {
namespace {

/// Rows whose probabilities are in memory at once.
constexpr std::size_t kRowsAtOnce = 4 * kBlockRows;

const Votes& votes_of(const RowBlock& rows) {
  if (rows.votes != nullptr) return *rows.votes;
  throw Error(ErrorCode::evidence, "a task is about votes, and the rows have none");
}

/// Calls body(from, count) for stretches of whole blocks, on several threads, and puts the results
/// together in their order.
template <class Result, class Body>
std::vector<Result> by_stretch(std::size_t rows, std::size_t most, int threads, const Body& body) {
  std::vector<Result> results((rows + most - 1) / most);
  core::parallel_for(core::resolve_threads(threads), results.size(), [&](std::size_t j) {
    results[j] = body(j * most, std::min(most, rows - j * most));
  });
  return results;
}

EvaluationSums metrics_of(const MetricsTask& task, const RowBlock& rows, int threads) {
  const Votes& votes = votes_of(rows);
  MetricOptions options = task.options;
  options.threads = 1;
  // As many stretches as threads, rather than small ones, each of which would be merged.
  const std::size_t blocks = (votes.rows() + kBlockRows - 1) / kBlockRows;
  const auto team = static_cast<std::size_t>(core::resolve_threads(threads));
  const std::size_t stretch = (blocks + team - 1) / team * kBlockRows;
  return merge(by_stretch<EvaluationSums>(
      votes.rows(), stretch, threads, [&](std::size_t from, std::size_t count) {
        return score_rows(
            [&](Scores scores, MutRows out) { task.calibrator.apply(scores, out, 1); }, options,
            rows.first + from, rows.scores.block(from, count), votes, from);
      }));
}

/// sum_block(from, count, sums) adds what a block holds.
template <class SumBlock>
State sums_of(const RowBlock& rows, std::size_t width, int threads, const SumBlock& sum_block) {
  State state;
  state.first_row = rows.first;
  state.end_row = rows.first + rows.scores.rows();
  const auto parts = by_stretch<BlockSums>(
      rows.scores.rows(), kRowsAtOnce, threads, [&](std::size_t from, std::size_t count) {
        BlockSums sums;
        std::vector<double> of_block;
        for (std::size_t done = 0; done < count; done += kBlockRows) {
          of_block.assign(width, 0.0);
          sum_block(from + done, std::min(kBlockRows, count - done), of_block);
          sums.push((rows.first + from + done) / kBlockRows, of_block);
        }
        return sums;
      });
  for (const BlockSums& part : parts) state.sums.merge(part);
  return state;
}

}  // namespace

TagSet with_tags(std::initializer_list<std::uint8_t> tags) {
  TagSet set;
  for (const std::uint8_t tag : tags) set.set(tag);
  return set;
}

std::pair<std::uint64_t, std::uint64_t> rows_of(const RowAnswer& answer) {
  return std::visit([](const auto& one) { return std::pair(one.first_row, one.end_row); }, answer);
}

RowAnswer answer(const RowTask& task, const RowBlock& rows, int threads) {
  return std::visit(
      core::Overloaded{
          [&](const Request& request) -> RowAnswer { return accumulate(request, rows, threads); },
          [&](const MetricsTask& metrics) -> RowAnswer {
            return metrics_of(metrics, rows, threads);
          },
          [&](const LossesTask& losses) -> RowAnswer {
            const Votes& votes = votes_of(rows);
            const std::size_t width = experiment::loss_width(losses, rows.scores.cols());
            return sums_of(rows, width, threads,
                           [&](std::size_t from, std::size_t count, std::vector<double>& sums) {
                             experiment::add_losses(losses, rows.scores.block(from, count), votes,
                                                    from, sums);
                           });
          },
          [&](const VotesTask&) -> RowAnswer {
            const Votes& votes = votes_of(rows);
            State state =
                sums_of(rows, experiment::annotation_width(rows.scores.cols()), threads,
                        [&](std::size_t from, std::size_t count, std::vector<double>& sums) {
                          experiment::add_annotations(votes, from, count, sums);
                        });
            const auto [fewest, most] = experiment::extremes(votes);
            state.listed = {fewest, most};
            return state;
          }},
      task.what);
}

RowAnswer merge_answers(std::vector<RowAnswer> pieces) {
  if (pieces.empty()) throw Error(ErrorCode::usage, "there are no answers to merge");
  const std::size_t kind = pieces.front().index();
  std::vector<State> states;
  std::vector<EvaluationSums> sums;
  for (RowAnswer& piece : pieces) {
    if (piece.index() != kind) {
      throw Error(ErrorCode::data, "answers to different tasks cannot be merged");
    }
    if (auto* state = std::get_if<State>(&piece)) states.push_back(std::move(*state));
    if (auto* sum = std::get_if<EvaluationSums>(&piece)) sums.push_back(std::move(*sum));
  }
  if (kind == 0) return merge(std::move(states));
  return merge(std::move(sums));
}

bool pass(std::span<const TaggedSolver> solvers, RowWorker& worker) {
  std::vector<RowTask> tasks;
  std::vector<Solver*> asking;
  for (const TaggedSolver& one : solvers) {
    if (one.solver->next() == nullptr) continue;
    tasks.push_back({one.rows, *one.solver->next()});
    asking.push_back(one.solver);
  }
  if (tasks.empty()) return false;
  std::vector<RowAnswer> answers = worker.work(tasks);
  for (std::size_t i = 0; i < asking.size(); ++i) {
    asking[i]->tell(std::get<State>(std::move(answers[i])));
  }
  return true;
}

std::vector<RowsInfo> infos_of(RowWorker& worker, std::span<const TagSet> parts) {
  const RowsInfo whole = worker.info();
  std::vector<RowTask> tasks;
  for (const TagSet& part : parts) tasks.push_back({part, VotesTask{}});
  std::vector<RowsInfo> infos;
  for (const RowAnswer& found : worker.work(tasks)) {
    const AnnotationSums sums(std::get<State>(found), whole.classes);
    RowsInfo info = whole;
    info.rows = static_cast<std::size_t>(sums.rows);
    // Scores alone and majority labels stay what they are.
    if (whole.evidence >= Evidence::annotations) info.evidence = sums.evidence();
    infos.push_back(std::move(info));
  }
  return infos;
}

}  // namespace credence
