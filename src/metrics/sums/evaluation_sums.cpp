#include "credence/evaluation_sums.hpp"

#include "core/pieces.hpp"
#include "credence/error.hpp"
#include "metrics/rows/checks.hpp"
#include "metrics/rows/scored.hpp"

namespace credence {

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
}
SumsOfRows::~SumsOfRows() = default;

void SumsOfRows::add(Rows probabilities, Rows certainties) {
  scored_->add(probabilities, certainties);
}

EvaluationSums SumsOfRows::finish() {
  scored_->finish();
  metrics::Summary& summary = scored_->summary;
  const std::uint64_t first_row = summary.first_row, end_row = summary.end_row;
  return {first_row, end_row, std::make_shared<const metrics::Summary>(std::move(summary))};
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

Evaluation evaluation_of(const EvaluationSums& sums) {
  return metrics::evaluation_of(metrics::Totals(*sums.summary));
}

}  // namespace credence
