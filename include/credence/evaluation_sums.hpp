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
#include <string>
#include <vector>

#include "credence/block_sums.hpp"
#include "credence/bootstrap.hpp"
#include "credence/metrics.hpp"

namespace credence {

namespace metrics {
struct Summary;  // what the rows add up to; opaque to callers
class BlockResampler;
}  // namespace metrics

/// What the rows [first_row, end_row) add to an evaluation.
struct EvaluationSums {
  std::uint64_t first_row = 0, end_row = 0;
  std::shared_ptr<metrics::Summary> summary;  ///< shared by copies, changed by none of them

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
  std::unique_ptr<metrics::BlockResampler> resampler_;
};

/// The sums of several neighbouring pieces, given in any order. A piece that came twice counts
/// once; a gap, an overlap or other options are an Error(data).
EvaluationSums merge(std::vector<EvaluationSums> pieces);

/// All metrics of these rows.
Evaluation evaluation_of(const EvaluationSums& sums);

/// What to resample for intervals of so many rows that are never together: none where there are
/// none to be had, and `why_not` then says why.
MetricOptions::Resampling resampling_of(const BootstrapOptions& options, std::uint64_t rows,
                                        std::string& why_not);

/// Adds the resampled sums of `from`, whatever its rows, to those of `to`, and leaves none behind:
/// they add up in any order, and are large, so whoever holds several sums of one evaluation keeps
/// them in one. What is merged and used in the end must hold those of all its rows.
void gather_resamples(EvaluationSums& from, EvaluationSums& to);
/// Leaves out the rows that are listed, once evaluation_of() has seen them.
void drop_listed_rows(EvaluationSums& sums);
/// About how many bytes the resampled sums of one evaluation take.
std::size_t resampled_bytes(const MetricOptions& options, std::size_t classes);

/// Intervals of evaluations of the same rows, from sums of all of them that were resampled as they
/// were added up (MetricOptions::resampling): those of bootstrap() over the rows in memory, to the
/// bit, but for metrics over equally filled bins, which have none. The evaluations are
/// evaluation_of() of the sums.
BootstrapResult bootstrap_of_sums(std::span<const Evaluation> evaluations,
                                  std::span<const EvaluationSums> sums,
                                  std::span<const std::size_t> references,
                                  const BootstrapOptions& options);

/// docs/solver.md has the layout.
std::vector<std::byte> to_bytes(const EvaluationSums& sums);
EvaluationSums evaluation_sums_from_bytes(std::span<const std::byte> bytes);

}  // namespace credence
