#include <cmath>
#include <set>

#include "credence/compare.hpp"
#include "credence/row_work.hpp"

namespace credence {
namespace {

/// As reader_agreement() says it, from sums.
ReaderAgreement agreement_of(const AnnotationSums& sums, Evidence evidence) {
  ReaderAgreement found;
  if (sums.fractional > 0.0 || evidence == Evidence::voted) return found;
  found.pairable_rows = static_cast<std::size_t>(sums.repeated);
  if (found.pairable_rows == 0) return found;
  found.pairwise = sums.same_pairs / sums.repeated;
  double same_by_chance = 0.0;
  for (const double c : sums.answers) same_by_chance += c * (c - 1.0);
  const double total = sums.repeated_votes;
  const double expected = (total * (total - 1.0) - same_by_chance) / (total - 1.0);
  if (expected > 0.0) found.krippendorff_alpha = 1.0 - sums.disagreeing / expected;
  return found;
}

}  // namespace

AnnotationSummary summary_of(const AnnotationSums& sums, const RowsInfo& info) {
  AnnotationSummary summary;
  summary.rows = static_cast<std::size_t>(sums.rows);
  summary.classes = info.classes;
  summary.evidence = info.evidence;
  summary.shares = sums.are_shares();
  summary.ties = static_cast<std::size_t>(sums.ties);
  summary.fewest_votes = sums.fewest;
  summary.most_votes = sums.most;
  summary.repeated_rows = summary.shares ? 0 : static_cast<std::size_t>(sums.repeated);
  summary.votes_per_example = sums.votes / sums.rows;
  summary.mean_entropy = sums.entropy / sums.rows / std::log(static_cast<double>(info.classes));
  summary.agreement = agreement_of(sums, info.evidence);
  return summary;
}

AnnotationSummary summarise_annotations(const Dataset& data) {
  AnnotationSummary summary;
  summary.rows = data.rows();
  summary.classes = data.classes_count();
  if (data.votes.rows() > 0) {
    const RowAnswer found = answer({all_tags(), VotesTask{}}, {0, data.scores, &data.votes, {}});
    summary =
        summary_of(AnnotationSums(std::get<State>(found), data.classes_count()), info_of(data));
  }
  summary.groups = std::set<std::uint32_t>(data.groups.begin(), data.groups.end()).size();
  return summary;
}

}  // namespace credence
