#include "credence/evaluation_sums.hpp"

#include <fmt/format.h>

#include <utility>

#include "core/pieces.hpp"
#include "core/release.hpp"
#include "credence/error.hpp"
#include "metrics/bootstrap/block_resampler.hpp"
#include "metrics/rows/checks.hpp"
#include "metrics/rows/scored.hpp"

namespace credence {
namespace {

void check_resampling(const MetricOptions::Resampling& how, std::uint64_t end_row) {
  if (end_row > how.rows || (end_row < how.rows && end_row % kBlockRows != 0)) {
    throw Error(ErrorCode::usage,
                fmt::format("a piece ends at row {}, and resamples are drawn from {} rows in "
                            "blocks of {}",
                            end_row, how.rows, kBlockRows),
                "give the number of all rows, and whole blocks in every piece but the last");
  }
}

/// Copies of the sums share the summary; whoever changes it gets one of its own.
metrics::Summary& own_summary(EvaluationSums& sums) {
  if (sums.summary.use_count() > 1) {
    sums.summary = std::make_shared<metrics::Summary>(*sums.summary);
  }
  return *sums.summary;
}

}  // namespace

bool EvaluationSums::operator==(const EvaluationSums& other) const {
  return *summary == *other.summary;
}

SumsOfRows::SumsOfRows(MetricOptions options, std::uint64_t first_row, const Votes& votes,
                       std::size_t votes_from, std::size_t rows) {
  if (first_row % kBlockRows != 0) {
    throw Error(ErrorCode::usage, "a piece begins at row " + std::to_string(first_row) +
                                      ", which is not a multiple of " + std::to_string(kBlockRows));
  }
  options.keep_rows = options.keep_votes = false;
  metrics::check_options(votes, options);
  scored_ = std::make_unique<metrics::Scored>(votes, options, first_row, votes_from, rows);
  if (options.resampling.resamples == 0) return;
  check_resampling(options.resampling, first_row + rows);
  resampler_ = std::make_unique<metrics::BlockResampler>(options, votes.classes(), first_row, rows);
  scored_->block_done = [this](std::size_t first) { resampler_->add(*scored_, first); };
}
SumsOfRows::~SumsOfRows() = default;

void SumsOfRows::add(Rows probabilities, Rows certainties) {
  scored_->add(probabilities, certainties);
}

EvaluationSums SumsOfRows::finish() {
  scored_->finish();
  metrics::Summary& summary = scored_->summary;
  if (resampler_) summary.replicates = resampler_->finish();
  const std::uint64_t first_row = summary.first_row, end_row = summary.end_row;
  return {first_row, end_row, std::make_shared<metrics::Summary>(std::move(summary))};
}

EvaluationSums accumulate(MetricOptions options, std::uint64_t first_row, Rows probabilities,
                          const Votes& votes, Rows certainties) {
  SumsOfRows sums(options, first_row, votes, 0, votes.rows());
  sums.add(probabilities, certainties);
  metrics::check_complete(probabilities.rows(), votes);
  return sums.finish();
}

EvaluationSums merge(std::vector<EvaluationSums> pieces) {
  // The first piece is copied once, then added to.
  std::shared_ptr<metrics::Summary> sum;
  return core::merge_pieces(
      std::move(pieces), "sums",
      [](const EvaluationSums& left, const EvaluationSums& right) {
        const bool alike = left.summary->like(*right.summary);
        return std::string(alike ? "" : "of evaluations with other options or classes");
      },
      [&](const EvaluationSums& right, EvaluationSums& left) {
        if (!sum) sum = std::make_shared<metrics::Summary>(*left.summary);
        sum->append(*right.summary);
        left.summary = sum;
      });
}

void drop_listed_rows(EvaluationSums& sums) {
  metrics::Summary& summary = own_summary(sums);
  summary.options.list_rows = false;
  core::release(summary.confidence, summary.agreement, summary.entropy,
                summary.predicted_disagreement, summary.observed_disagreement);
}

void gather_resamples(EvaluationSums& from, EvaluationSums& to) {
  if (from.summary->replicates.sums.empty()) return;
  metrics::ReplicateSums& source = own_summary(from).replicates;
  metrics::ReplicateSums& target = own_summary(to).replicates;
  metrics::ReplicateSums taken;
  std::swap(taken, source);
  if (target.sums.empty()) {
    target = std::move(taken);
  } else {
    target.add(taken);
  }
}

std::size_t resampled_bytes(const MetricOptions& options, std::size_t classes) {
  return metrics::replicate_count(options, classes) * sizeof(std::int64_t);
}

Evaluation evaluation_of(const EvaluationSums& sums) {
  return metrics::evaluation_of(metrics::Totals(*sums.summary));
}

}  // namespace credence
