// Scoring rows that are read in passes: sums over pieces, merged.
#include <fmt/format.h>

#include <numeric>
#include <utility>

#include "core/parallel.hpp"
#include "credence/error.hpp"
#include "credence/second_order.hpp"
#include "credence/text.hpp"
#include "report/evaluation_subject.hpp"

namespace credence::report {
namespace {

/// Sums of pieces in the order of their rows, of which few are held: equals are merged as in a
/// binary counter, so that what they list is copied once per level and not once per piece.
class SumsSoFar {
 public:
  void add(EvaluationSums sums) {
    held_.push_back({std::move(sums), 0});
    while (held_.size() > 1 && held_[held_.size() - 2].level == held_.back().level) {
      Held right = std::move(held_.back());
      held_.pop_back();
      Held& left = held_.back();
      left = {merge({std::move(left.sums), std::move(right.sums)}), left.level + 1};
    }
  }
  EvaluationSums all() {
    std::vector<EvaluationSums> left;
    for (Held& held : held_) left.push_back(std::move(held.sums));
    return merge(std::move(left));
  }

 private:
  struct Held {
    EvaluationSums sums;
    int level;
  };
  std::vector<Held> held_;
};

/// The sums of one piece, its blocks spread over the threads.
void add_piece(const MetricOptions& options, int threads, std::size_t first, Rows probabilities,
               const Votes& votes, const SecondOrder* second_order, SumsSoFar& so_far) {
  const std::size_t blocks = (votes.rows() + kBlockRows - 1) / kBlockRows;
  const std::size_t parts = std::min(static_cast<std::size_t>(threads), blocks);
  std::vector<EvaluationSums> sums(parts);
  core::parallel_for(threads, parts, [&](std::size_t p) {
    const std::size_t from = blocks * p / parts * kBlockRows;
    const std::size_t to = std::min(blocks * (p + 1) / parts * kBlockRows, votes.rows());
    std::vector<std::size_t> rows(to - from);
    std::iota(rows.begin(), rows.end(), from);
    const Rows part = probabilities.block(from, to - from);
    sums[p] = accumulate(options, first + from, part, parts == 1 ? votes : votes.select(rows),
                         certainties_of(second_order, part).view());
  });
  so_far.add(merge(std::move(sums)));
}

}  // namespace

EvaluationResult evaluate(io::FileRows& rows, ScoreKind kind,
                          std::optional<io::LoadedCalibrator> model, const std::string& model_name,
                          const std::string& score_name, std::size_t memory,
                          const EvaluationOptions& options) {
  EvaluationResult result;
  result.options = options;
  result.facts = rows.facts();
  result.loaded.join = rows.join();
  if (options.bootstrap.resamples > 0) {
    result.no_intervals =
        "no intervals: they need all rows at once, and these do not fit in the memory allowed";
  }
  // Confidence, agreement, entropy and maybe two numbers on disagreement of every row; once more
  // while they are merged and sorted.
  const double numbers = model && model->calibrator.second_order ? 5.0 : 3.0;
  const double listed = 3.0 * numbers * sizeof(double) * static_cast<double>(result.facts.rows);
  MetricOptions protocol = options.metrics;
  protocol.threads = 1;
  protocol.list_rows = listed <= static_cast<double>(memory) / 2.0;

  const bool fitted = model.has_value();
  io::AlignedCalibrator aligned = align(std::move(model), model_name, result.facts.classes,
                                        result.facts.class_names, kind, score_name);
  result.subject = subject_of(aligned, fitted, kind);
  const int threads = core::resolve_threads(options.threads);
  SumsSoFar sums;
  FittedRows fitted_rows(aligned.info().sketch);
  std::vector<double> memory_of_piece;
  rows.rewind();
  for (RowBlock block; rows.next(block);) {
    Rows probabilities = rows.probabilities();
    if (probabilities.rows() != 0) {
      result.subject = {.method = "as given",
                        .gauge = {},
                        .score_kind = std::string(to_string(kind)),
                        .fitted_fingerprint = {},
                        .fitted_rows = {},
                        .overlap_unknown = false,
                        .calibrator_classes = {}};
    } else {
      memory_of_piece.resize(block.scores.size());
      const MutRows out(memory_of_piece.data(), block.scores.rows(), block.scores.cols());
      aligned.apply(block.scores, out, threads);
      probabilities = out;
    }
    if (fitted) fitted_rows.add(block.scores);
    add_piece(protocol, threads, block.first, probabilities, *block.votes,
              second_order_of(aligned.calibrator()), sums);
    if (options.rows_done && !options.rows_done(block.first + block.scores.rows())) {
      throw Error(ErrorCode::cancelled, "stopped on request");
    }
  }
  if (fitted) result.subject.fitted_rows = fitted_rows.count();
  result.subject.overlap_unknown =
      !aligned.info().sketch.smallest.empty() && !result.subject.fitted_rows;
  result.evaluation = evaluation_of(sums.all());
  return result;
}

}  // namespace credence::report
