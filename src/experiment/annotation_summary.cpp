#include <algorithm>
#include <cmath>
#include <set>

#include "credence/compare.hpp"

namespace credence {

AnnotationSummary summarise_annotations(const Dataset& data) {
  AnnotationSummary summary;
  const Votes& votes = data.votes;
  summary.rows = data.rows();
  summary.classes = data.classes_count();
  summary.groups = std::set<std::uint32_t>(data.groups.begin(), data.groups.end()).size();
  summary.evidence = data.evidence();
  summary.shares = votes.are_shares();
  summary.ties = votes.ties();
  if (votes.rows() == 0) return summary;
  const double scale = std::log(static_cast<double>(data.classes_count()));
  double total = 0.0, entropy = 0.0;
  summary.fewest_votes = summary.most_votes = votes.total(0);
  for (std::size_t i = 0; i < votes.rows(); ++i) {
    const double m = votes.total(i);
    total += m;
    summary.fewest_votes = std::min(summary.fewest_votes, m);
    summary.most_votes = std::max(summary.most_votes, m);
    if (m >= 2.0 && !votes.are_shares()) ++summary.repeated_rows;
    for (const double c : votes.row(i).weights) entropy -= c / m * std::log(c / m);
  }
  const auto n = static_cast<double>(votes.rows());
  summary.votes_per_example = total / n;
  summary.mean_entropy = entropy / n / scale;
  summary.agreement = reader_agreement(votes);
  return summary;
}

}  // namespace credence
