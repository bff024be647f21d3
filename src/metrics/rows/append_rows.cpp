// Evaluations of parts of the rows, put together again.
#include <utility>

#include "metrics/rows/scored.hpp"

namespace credence::metrics {
namespace {

template <class T>
void append_to(std::vector<T>& left, const std::vector<T>& right) {
  left.insert(left.end(), right.begin(), right.end());
}

}  // namespace

void Scored::append(Scored next) {
  // Where the entries of a row begin is counted from the first row of all.
  if (!next.vote_first.empty()) {
    for (std::size_t& first : next.vote_first) first += vote_cell.size();
    vote_first.pop_back();
  }
  append_to(vote_first, next.vote_first);
  append_to(vote_share, next.vote_share);
  append_to(vote_cell, next.vote_cell);
  append_to(predicted, next.predicted);
  append_to(confidence, next.confidence);
  append_to(agreement, next.agreement);
  append_to(hit, next.hit);
  append_to(entropy, next.entropy);
  for (std::size_t s = 0; s < columns.size(); ++s) append_to(columns[s], next.columns[s]);
  append_to(cell_gap, next.cell_gap);
  append_to(cell_bin, next.cell_bin);
  append_to(model, next.model);
  append_to(vote_p, next.vote_p);
  append_to(vote_log_p, next.vote_log_p);
  summary.append(std::move(next.summary));
}

}  // namespace credence::metrics
