#include <algorithm>
#include <cmath>

#include "credence/inspect.hpp"
#include "credence/metrics.hpp"

namespace credence::report {
namespace {

constexpr std::size_t kFirstRows = 5;

}  // namespace

std::size_t classes_with_most_votes(const Votes& votes, std::size_t i) {
  const VoteRow row = votes.row(i);
  const double most = *std::max_element(row.weights.begin(), row.weights.end());
  return static_cast<std::size_t>(std::count(row.weights.begin(), row.weights.end(), most));
}

VoteSummary summarise(const Votes& votes) {
  VoteSummary summary;
  const std::size_t n = votes.rows(), classes = votes.classes();
  summary.voted_counts.assign(classes, 0);
  summary.vote_shares.assign(classes, 0.0);
  if (n == 0) return summary;
  summary.fewest = summary.most = votes.total(0);
  for (std::size_t i = 0; i < n; ++i) {
    const VoteRow row = votes.row(i);
    const double m = votes.total(i);
    summary.fewest = std::min(summary.fewest, m);
    summary.most = std::max(summary.most, m);
    summary.mean += m;
    summary.voted_counts[votes.voted(i)]++;
    summary.unanimous += row.classes.size() == 1;
    for (std::size_t j = 0; j < row.classes.size(); ++j) {
      const double share = row.weights[j] / m;
      summary.vote_shares[row.classes[j]] += share;
      summary.entropy -= share * std::log(share);
    }
    if (summary.tied_rows.size() < kFirstRows && classes_with_most_votes(votes, i) > 1) {
      summary.tied_rows.push_back(i);
    }
  }
  const double count = static_cast<double>(n);
  summary.mean /= count;
  summary.entropy /= count * (classes > 1 ? std::log(static_cast<double>(classes)) : 1.0);
  for (double& share : summary.vote_shares) share /= count;
  const ReaderAgreement agreement = reader_agreement(votes);
  summary.agreement = agreement.pairwise;
  summary.alpha = agreement.krippendorff_alpha;
  return summary;
}

}  // namespace credence::report
