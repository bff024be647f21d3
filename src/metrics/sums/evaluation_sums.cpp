#include "credence/evaluation_sums.hpp"

#include "core/pieces.hpp"
#include "credence/error.hpp"
#include "metrics/rows/checks.hpp"
#include "metrics/rows/scored.hpp"

namespace credence {

bool EvaluationSums::operator==(const EvaluationSums& other) const {
  return *summary == *other.summary;
}

EvaluationSums accumulate(MetricOptions options, std::uint64_t first_row, Rows probabilities,
                          const Votes& votes, Rows certainties) {
  if (first_row % kBlockRows != 0) {
    throw Error(ErrorCode::usage, "a piece begins at row " + std::to_string(first_row) +
                                      ", which is not a multiple of " + std::to_string(kBlockRows));
  }
  options.keep_rows = options.keep_votes = false;
  metrics::check_options(votes, options);
  metrics::Scored scored(votes, options, first_row);
  scored.add(probabilities, certainties);
  metrics::check_complete(scored.rows(), votes);
  scored.finish();
  const std::uint64_t end_row = scored.summary.end_row;
  return {first_row, end_row, std::make_shared<const metrics::Summary>(std::move(scored.summary))};
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
