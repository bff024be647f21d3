#include "metrics/scored.hpp"

#include <algorithm>
#include <cmath>

namespace credence::metrics {

Scored::Scored(const Votes& the_votes, MetricOptions the_options)
    : votes(the_votes),
      options(the_options),
      bins(the_options.bins),
      class_gap(the_votes.classes() * bins.count(), 0.0),
      votes_are_counts(!the_votes.are_shares()),
      gap_(the_votes.classes()) {
  confidence.reserve(votes.rows());
  agreement.reserve(votes.rows());
  hit.reserve(votes.rows());
  entropy.reserve(votes.rows());
}

void Scored::add_row(std::span<const double> p) {
  const std::size_t i = rows();
  const VoteRow row = votes.row(i);
  const double m = votes.total(i);

  // Ties go to the lowest index, as they do for votes.
  const auto top = static_cast<std::size_t>(std::max_element(p.begin(), p.end()) - p.begin());

  std::copy(p.begin(), p.end(), gap_.begin());
  double top_share = 0.0, squared_shares = 0.0, pairs = 0.0, cross_entropy = 0.0;
  for (std::size_t v = 0; v < row.classes.size(); ++v) {
    const std::size_t k = row.classes[v];
    const double c = row.weights[v], share = c / m;
    gap_[k] -= share;
    if (k == top) top_share = share;
    squared_shares += share * share;
    pairs += c * (c - 1.0);
    cross_entropy -= share * std::log(p[k]);
    if (c != std::floor(c)) votes_are_counts = false;
  }

  double squared_gap = 0.0;
  for (std::size_t k = 0; k < p.size(); ++k) {
    squared_gap += gap_[k] * gap_[k];
    class_gap[k * bins.count() + bins.index(p[k])] += gap_[k];
  }

  confidence.push_back(p[top]);
  agreement.push_back(top_share);
  hit.push_back(top == votes.voted(i) ? 1 : 0);
  entropy.push_back(vote_entropy(row, m));
  brier.add(squared_gap);
  disagreement.add(1.0 - squared_shares);
  if (std::isfinite(cross_entropy)) {
    nll.add(cross_entropy);
  } else {
    ++infinite_nll_rows;
  }
  if (m >= 2.0) {
    ++repeated_rows;
    brier_unbiased.add(squared_gap - (1.0 - squared_shares) / (m - 1.0));
    ceiling.add(1.0 - pairs / (m * (m - 1.0)));
  }
}

/// Terms are added in ascending order, so that the same votes for other classes give the same bits
/// and fall into the same bin of entropy.
double Scored::vote_entropy(VoteRow row, double total) {
  sorted_.assign(row.weights.begin(), row.weights.end());
  std::sort(sorted_.begin(), sorted_.end());
  double sum = 0.0;
  for (const double c : sorted_) sum -= c / total * std::log(c / total);
  return sum;
}

}  // namespace credence::metrics
