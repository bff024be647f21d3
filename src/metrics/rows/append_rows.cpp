// Evaluations of parts of the rows, put together again.
#include <utility>

#include "metrics/rows/scored.hpp"

namespace credence::metrics {
namespace {

template <class T>
void append_to(std::vector<T>& left, const std::vector<T>& right) {
  left.insert(left.end(), right.begin(), right.end());
}

template <class T>
void append_to(SharedColumn<T>& left, SharedColumn<T>& right) {
  append_to(left.own(), right.own());
}

}  // namespace

void Scored::append(Scored next) {
  // Where the entries of a row begin is counted from the first row of all.
  if (!next.vote_first.own().empty()) {
    for (std::size_t& first : next.vote_first.own()) first += vote_cell.size();
    vote_first.own().pop_back();
  }
  append_to(vote_first, next.vote_first);
  append_to(vote_share, next.vote_share);
  append_to(vote_cell, next.vote_cell);
  append_to(predicted, next.predicted);
  append_to(hit, next.hit);
  append_to(ranking, next.ranking);
  append_to(repeated, next.repeated);
  append_to(entropy, next.entropy);
  append_to(disagreement, next.disagreement);
  append_to(ceiling, next.ceiling);
  using Doubles = std::vector<double> Scored::*;
  for (const Doubles column : {&Scored::confidence, &Scored::agreement, &Scored::nll,
                               &Scored::brier, &Scored::vote_p, &Scored::vote_log_p}) {
    append_to(this->*column, next.*column);
  }
  using Floats = std::vector<float> Scored::*;
  for (const Floats column :
       {&Scored::total_variation, &Scored::entropy_gap, &Scored::brier_unbiased, &Scored::dm_nll,
        &Scored::predicted_disagreement, &Scored::cell_gap}) {
    append_to(this->*column, next.*column);
  }
  append_to(cell_bin, next.cell_bin);
  append_to(model, next.model);
  summary.append(std::move(next.summary));
}

}  // namespace credence::metrics
