// How far annotators agree with each other.
#include <cmath>

#include "credence/metrics.hpp"
#include "metrics/numbers/sum.hpp"

namespace credence {

ReaderAgreement reader_agreement(const Votes& votes) {
  ReaderAgreement found;
  if (votes.are_shares() || votes.evidence() == Evidence::voted) return found;
  metrics::Sum pairwise, disagreeing;
  std::vector<double> answers(votes.classes(), 0.0);
  double total = 0.0;
  for (std::size_t i = 0; i < votes.rows(); ++i) {
    const double m = votes.total(i);
    const VoteRow row = votes.row(i);
    double same = 0.0;
    for (const double c : row.weights) {
      if (c != std::floor(c)) return {};
      same += c * (c - 1.0);
    }
    if (m < 2.0) continue;
    ++found.pairable_rows;
    pairwise.add(same / (m * (m - 1.0)));
    disagreeing.add((m * (m - 1.0) - same) / (m - 1.0));
    for (std::size_t v = 0; v < row.classes.size(); ++v) answers[row.classes[v]] += row.weights[v];
    total += m;
  }
  if (found.pairable_rows == 0) return found;
  found.pairwise = pairwise.value() / static_cast<double>(found.pairable_rows);
  // Krippendorff's coincidences: ordered pairs within examples against ordered pairs of all
  // answers.
  double same_by_chance = 0.0;
  for (const double c : answers) same_by_chance += c * (c - 1.0);
  const double expected = (total * (total - 1.0) - same_by_chance) / (total - 1.0);
  if (expected > 0.0) found.krippendorff_alpha = 1.0 - disagreeing.value() / expected;
  return found;
}

}  // namespace credence
