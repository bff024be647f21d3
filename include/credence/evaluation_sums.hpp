// An evaluation whose rows lie in many places: sums over pieces of the rows, merged, turned into
// metrics. The counterpart of solver.hpp for scores; `evaluate()` does the same for all rows at
// once:
//
//   Evaluation evaluation = evaluation_of(merge({accumulate({}, 0, here, votes_here),
//                                                accumulate({}, first_there, there,
//                                                votes_there)}));
//
// Any division of the rows into whole blocks of kBlockRows gives the bits of any other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "credence/block_sums.hpp"
#include "credence/metrics.hpp"

namespace credence {

namespace metrics {
struct Summary;  // what the rows add up to; opaque to callers
}

/// What the rows [first_row, end_row) add to an evaluation.
struct EvaluationSums {
  std::uint64_t first_row = 0, end_row = 0;
  std::shared_ptr<const metrics::Summary> summary;

  bool operator==(const EvaluationSums& other) const;
};

/// The sums of some rows: whole blocks, of which only the last of all rows may be shorter.
/// `first_row` is the number of the first among all rows, a multiple of kBlockRows; the
/// probabilities are checked as Evaluator does. Depends on nothing else: computed twice, it is the
/// same. Rows are not kept for bootstrap(), whatever the options say. `certainties` as for
/// Evaluator.
EvaluationSums accumulate(MetricOptions options, std::uint64_t first_row, Rows probabilities,
                          const Votes& votes, Rows certainties = {});
/// The same for rows [votes_from, votes_from + rows) of the votes, whose probabilities arrive a few
/// rows at a time.
class SumsOfRows {
 public:
  SumsOfRows(MetricOptions options, std::uint64_t first_row, const Votes& votes,
             std::size_t votes_from, std::size_t rows);
  ~SumsOfRows();
  SumsOfRows(const SumsOfRows&) = delete;
  SumsOfRows& operator=(const SumsOfRows&) = delete;
  void add(Rows probabilities, Rows certainties = {});
  EvaluationSums finish();

 private:
  std::unique_ptr<metrics::Scored> scored_;
};

/// The sums of several neighbouring pieces, given in any order. A piece that came twice counts
/// once; a gap, an overlap or other options are an Error(data).
EvaluationSums merge(std::vector<EvaluationSums> pieces);

/// All metrics of these rows.
Evaluation evaluation_of(const EvaluationSums& sums);

/// docs/solver.md has the layout.
std::vector<std::byte> to_bytes(const EvaluationSums& sums);
EvaluationSums evaluation_sums_from_bytes(std::span<const std::byte> bytes);

}  // namespace credence
