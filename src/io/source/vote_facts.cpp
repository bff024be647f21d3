#include "io/source/vote_facts.hpp"

#include <span>

namespace credence::io {

void VoteFacts::add(const Votes& votes) {
  for (std::size_t i = 0; i < votes.rows(); ++i) {
    sum_of_it += votes.total(i);
    if (++rows_of_it == kBlockRows) close();
  }
  rows += votes.rows();
  ties += votes.ties();
  const Evidence found = votes.evidence();
  voted = voted || found == Evidence::voted;
  shares = shares || votes.are_shares();
  all_totals_one = all_totals_one && (found != Evidence::distributions || votes.are_shares());
}

void VoteFacts::close() {
  if (rows_of_it == 0) return;
  totals.push(next++, std::span<const double>(&sum_of_it, 1));
  rows_of_it = 0;
  sum_of_it = 0.0;
}

void VoteFacts::merge(const VoteFacts& right) {
  totals.merge(right.totals);
  next = right.next;
  rows += right.rows;
  ties += right.ties;
  voted = voted || right.voted;
  shares = shares || right.shares;
  all_totals_one = all_totals_one && right.all_totals_one;
}

double VoteFacts::mean() const {
  if (rows == 0) return 0.0;
  VoteFacts all = *this;
  all.close();
  return all.totals.total().front() / static_cast<double>(rows);
}

void VoteFacts::finish(DataFacts& facts) const {
  facts.ties = ties;
  facts.votes_per_example = mean();
  facts.are_shares = shares && all_totals_one;
  facts.evidence = rows == 0                   ? Evidence::none
                   : voted                     ? Evidence::voted
                   : all_totals_one && !shares ? Evidence::annotations
                                               : Evidence::distributions;
}

}  // namespace credence::io
