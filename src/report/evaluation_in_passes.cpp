// Scoring rows that are read in passes: sums over pieces, merged.
#include <fmt/format.h>

#include <utility>

#include "core/parallel.hpp"
#include "credence/compare.hpp"
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
    if (!held_.empty()) gather_resamples(sums, held_.front().sums);
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

/// The sums of one piece, its blocks spread over the threads: body(from, to) gives those of some.
template <class Body>
EvaluationSums in_parts(std::size_t rows, int threads, const Body& body) {
  const std::size_t blocks = (rows + kBlockRows - 1) / kBlockRows;
  const std::size_t parts = std::min(static_cast<std::size_t>(threads), blocks);
  std::vector<EvaluationSums> sums(parts);
  core::parallel_for(threads, parts, [&](std::size_t p) {
    const std::size_t from = blocks * p / parts * kBlockRows;
    sums[p] = body(from, std::min(blocks * (p + 1) / parts * kBlockRows, rows));
  });
  return merge(std::move(sums));
}

}  // namespace

EvaluationResult evaluate(io::FileRows& rows, ScoreKind kind,
                          std::optional<io::LoadedCalibrator> model, const std::string& model_name,
                          const std::string& score_name, std::size_t memory,
                          const EvaluationOptions& options) {
  EvaluationResult result;
  result.options = options;
  const io::DataFacts& facts = rows.facts();
  // Confidence, agreement, entropy and maybe two numbers on disagreement of every row; once more
  // while they are merged and sorted.
  const double numbers = model && model->calibrator.second_order ? 5.0 : 3.0;
  const double listed = 3.0 * numbers * sizeof(double) * static_cast<double>(facts.rows);
  MetricOptions protocol = options.metrics;
  protocol.threads = 1;
  protocol.list_rows = listed <= static_cast<double>(memory) / 2.0;
  protocol.resampling = resampling_of(options.bootstrap, facts.rows, result.no_intervals);

  const bool fitted = model.has_value();
  io::AlignedCalibrator aligned =
      align(std::move(model), model_name, facts.classes, facts.class_names, kind, score_name);
  result.subject = subject_of(aligned, fitted, kind);
  const int threads = core::resolve_threads(options.threads);
  SumsSoFar sums;
  FittedRows fitted_rows(aligned.info().sketch);
  rows.rewind();
  for (RowBlock block; rows.next(block);) {
    const Rows given = rows.probabilities();
    if (given.rows() != 0) {
      result.subject = {.method = "as given",
                        .gauge = {},
                        .score_kind = std::string(to_string(kind)),
                        .fitted_fingerprint = {},
                        .fitted_rows = {},
                        .overlap_unknown = false,
                        .calibrator_classes = {}};
    }
    if (fitted) fitted_rows.add(block.scores);
    sums.add(in_parts(block.scores.rows(), threads, [&](std::size_t from, std::size_t to) {
      if (given.rows() == 0) {
        return score_rows([&](Scores scores, MutRows out) { aligned.apply(scores, out, 1); },
                          protocol, block.first + from, block.scores.block(from, to - from),
                          *block.votes, from, second_order_of(aligned.calibrator()));
      }
      SumsOfRows part(protocol, block.first + from, *block.votes, from, to - from);
      const Rows some = given.block(from, to - from);
      part.add(some, certainties_of(second_order_of(aligned.calibrator()), some).view());
      return part.finish();
    }));
    if (options.rows_done && !options.rows_done(block.first + block.scores.rows())) {
      throw Error(ErrorCode::cancelled, "stopped on request");
    }
  }
  result.facts = facts;
  result.loaded.join = rows.join();
  if (fitted) result.subject.fitted_rows = fitted_rows.count();
  result.subject.overlap_unknown =
      !aligned.info().sketch.smallest.empty() && !result.subject.fitted_rows;
  const EvaluationSums all = sums.all();
  result.evaluation = evaluation_of(all);
  if (protocol.resampling.resamples > 0) {
    result.intervals = bootstrap_of_sums({&result.evaluation, 1}, {&all, 1}, {}, options.bootstrap);
  }
  return result;
}

}  // namespace credence::report
