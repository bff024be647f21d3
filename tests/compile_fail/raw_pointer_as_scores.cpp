// A bare pointer has no shape, so it is not a score array.
// refused: const float ?\*.*Scores|no matching .*make_dataset
#include <utility>

#include "credence/dataset.hpp"

credence::Dataset use(const float* values, credence::Votes votes) {
#ifdef CREDENCE_MISTAKE
  return credence::make_dataset(values, credence::ScoreKind::logits, std::move(votes));
#else
  return credence::make_dataset({values, 2, 3}, credence::ScoreKind::logits, std::move(votes));
#endif
}
