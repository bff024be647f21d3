// Whether numbers are logits or probabilities is never guessed: leaving it out does not compile.
// refused: Votes.*ScoreKind|no matching .*make_dataset
#include <utility>

#include "credence/dataset.hpp"

credence::Dataset use(credence::Scores scores, credence::Votes votes) {
#ifdef CREDENCE_MISTAKE
  return credence::make_dataset(scores, std::move(votes));
#else
  return credence::make_dataset(scores, credence::ScoreKind::probs, std::move(votes));
#endif
}
